// Package features turns rows of tables and images into documents over public features: a schema says what the features
// of rows are, and the size of images what the features of images are. Rows become documents of real numbers. In images
// each pixel is a word, and each pixel that is on has count 1.
package features
