// Package model defines what a model family is: the names and shapes that its E-step in estep, its M-step in mstep and
// evaluate share, and the interfaces of both steps.
//
// A family has a package below this one, which names its statistics and parameters once. It has a package below estep,
// which turns private documents into contributions, and a package below mstep, which learns from releases. It has a
// line in each stage's main. MAPPING.md has each family's statistics in the notation of conjugate-exponential families,
// and their bounds. Package modeltest checks that both halves keep the promises of this package.
package model
