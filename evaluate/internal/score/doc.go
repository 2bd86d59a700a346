// Package score says how well a model predicts, with 95 % confidence intervals: the words of documents, their classes,
// and the pixels of images.
package score
