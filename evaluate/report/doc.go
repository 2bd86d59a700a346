// Package report has the commands that show a model: a page, and charts.
package report
