// Package python tests privpipe.py, the loader of models for Python.
package python
