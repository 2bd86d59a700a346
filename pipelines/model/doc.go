// Package model says what a family of models is: what its E-step in estep, its M-step in mstep and evaluate agree upon, and
// what each half must do.
//
// A family has a package below this one, which names its statistics and parameters once; a package below estep, which turns
// private documents into contributions; a package below mstep, which learns from releases; and a line in the main of each
// stage. Package modeltest checks that the halves keep what this package promises.
package model
