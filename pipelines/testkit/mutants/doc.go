// Package mutants has faults that a hostile author could plant in code that protects people. Each mutant says what it
// breaks and what must find it. The sources themselves are never changed: go's flag -overlay replaces files for one
// build.
//
//	PRIVPIPE_DEEP=mutants go test -count=1 -v -run 'TestMutants$' ./pipelines/testkit/mutants  # all, some minutes
//	PRIVPIPE_DEEP=mutants PRIVPIPE_MUTANT='^book-' go test -count=1 -v -run 'TestMutants$' ./pipelines/testkit/mutants
//
// One build has all mutants. Each changed function begins with a choice between its copies. The environment variable
// PRIVPIPE_MUTANT makes the choice when the program runs. No shipped program reads this variable: only the overlay has
// the package that reads it.
//
// The file faults/FOLDER.txt has the mutants of the folder's package:
//
//	NAME: What it breaks, in a sentence.
//		test: TestName TestName/subtest            tests of the folder; each must fail
//		test: ./OTHER/FOLDER TestName              tests of another folder
//		audit: ARGUMENTS                           arguments of evaluate audit, which must exit with code 83
//		finds: TEXT                                a text that the audit's message must have
//		kills: yes                                 the kills of pipelines/endtoend must find it, too
//		simulation: SEED SCENARIO                  a schedule of testkit/simulation that finds it
//		replay: PIPELINE CHECK                     evaluate replay must find it in a pipeline of pipelines/endtoend
//		func Receiver.Method: OLD => NEW           the change
//		func ./OTHER/FOLDER Function: 2/3 OLD =>   removes the second of three in a function of another folder
//		func Function: => NEW                      adds NEW at the beginning of the function
//		var NAME: OLD => NEW                       changes the value of the variable NAME
//		with: DECLARATION                          a declaration or an import that the change needs
//
// A line that is indented twice continues the line before it. OLD and NEW are lists of expressions if both can be
// parsed so, otherwise lists of statements. They are compared as syntax: spaces, comments and the position of the
// function do not matter. A mutant is stale if its function lacks OLD, or has OLD more often than the line says. A
// stale mutant is an error. Bring it up to date, or remove it together with the code that it was about.
//
// A copy cannot recover from panics for its function, and constants and types cannot be chosen at run time: change the
// code that uses them.
package mutants
