// Package endpoint opens the inputs and outputs of stages: "-", paths, FIFOs and topics, as plain text or as streams of
// records. A stage handles all of them in the same way. The context of a run says how: see Options.
//
// Output files are atomic: a file is written under a temporary name in the same folder, synced, and renamed. Symbolic
// links to a file are followed, and stay. Other hard links keep the old content. Descriptors, such as /dev/stdout and
// /dev/fd/7, FIFOs and devices are written to. A run that is killed leaves its temporary file, .NAME.XXXXXXXX.tmp,
// and the next run of the same output removes it. In a topic each partition is a stream. When a stream is committed,
// all messages of its writer, up to the last, are in the partition.
package endpoint
