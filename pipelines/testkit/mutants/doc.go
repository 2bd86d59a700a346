// Package mutants holds faults that a hostile author could plant where people are protected: each is a patch in patches/,
// with a header that says what it breaks and what must find it. Tests build programs with a patch and see that they are found
// out, by go's flag -overlay: the sources themselves are never changed.
//
//	just mutants          # all of them, some minutes
//	just mutants book-    # those whose names match
//
// The lines of a header are
//
//	# What it breaks, in a sentence or more lines of them.
//	# test: PACKAGE TestName TestName…  tests of the package, each of which must fail
//	# audit: ARGUMENTS                  of evaluate audit, which must exit with code 83; estep FLAGS audits estep, FLAGS privatize
//	# finds: TEXT                       that the audit's message must have
//	# kills: yes                        the kills of pipelines/endtoend must find it, too
//
// and the rest of the file a unified diff as git writes it. A patch whose lines are not in the sources exactly once is stale,
// and an error: bring it up to date, or remove it with what it was about.
package mutants
