// Package model defines a family of models: the names and shapes that its E-step in estep, its M-step in mstep and evaluate
// share, and the interfaces of both steps.
//
// A family has a package below this one, which names its statistics and parameters once; a package below estep, which turns
// private documents into contributions; a package below mstep, which learns from releases; and a line in the main of each
// stage. MAPPING.md has the statistics of each family in the
// notation of conjugate-exponential families, and their bounds. Package modeltest checks that the halves keep what this package promises.
package model
