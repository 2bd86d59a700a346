// Package score has what evaluate computes about models. It says how well a model predicts, with 95 % confidence
// intervals: the words of documents, their classes, and the pixels of images. And it relates words and topics: whether
// a topic's words occur together in documents, and how far apart topics are.
package score
