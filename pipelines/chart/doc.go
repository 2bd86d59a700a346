// Package chart draws curves in panels side by side, as SVG. It knows nothing of privacy. The same figure gives the
// same bytes.
package chart
