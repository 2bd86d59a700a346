// Package mutants holds faults that a hostile author could plant where people are protected. Each says what it breaks
// and what must find it. The sources themselves are never changed: go's flag -overlay puts other files in their place
// for one build.
//
//	PRIVPIPE_DEEP=mutants go test -count=1 -v -run 'TestMutants$' ./pipelines/testkit/mutants  # all, some minutes
//	PRIVPIPE_DEEP=mutants PRIVPIPE_MUTANT='^book-' go test -count=1 -v -run 'TestMutants$' ./pipelines/testkit/mutants
//
// One build has all mutants. Each changed function begins with a choice between its copies, and the variable
// PRIVPIPE_MUTANT of a running program makes the choice. No shipped program reads that variable: only the overlay has
// the package that does.
//
// The file faults/FOLDER.txt has the mutants of the folder's package:
//
//	NAME: What it breaks, in a sentence.
//		test: TestName TestName/subtest            tests of the folder, each of which must fail
//		test: ./OTHER/FOLDER TestName              tests of another folder
//		audit: ARGUMENTS                           of evaluate audit, which must exit with code 83
//		finds: TEXT                                which the audit's message must have
//		kills: yes                                 the kills of pipelines/endtoend must find it, too
//		func Receiver.Method: OLD => NEW           the change
//		func ./OTHER/FOLDER Function: 2/3 OLD =>   removes the second of three in a function of another folder
//		func Function: => NEW                      at the beginning of the function
//		var NAME: OLD => NEW                       in the value of a variable
//		with: DECLARATION                          that the change needs, or an import
//
// A line that is indented twice goes on with the line before. OLD and NEW are lists of expressions, if both can be,
// or else of statements. They are compared as syntax: spaces, comments and the place of the function do not matter. A
// mutant is stale, and an error, if its function lacks OLD, or has it more often than the line says. Bring it up to
// date, or remove it with what it was about.
//
// A copy cannot recover from panics for its function, and constants and types cannot be chosen at run time: change
// what uses them.
package mutants
