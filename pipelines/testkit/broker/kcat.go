package broker

import (
	"bytes"
	"context"
	"os/exec"
	"strconv"
	"testing"
)

// Partition returns the values of all messages in a partition, one after the other, as the public tool kcat reads them.
// It skips the test if kcat is not installed.
func Partition(t testing.TB, address, topic string, partition int) []byte {
	t.Helper()
	kcat, err := exec.LookPath("kcat")
	if err != nil {
		t.Skip("kcat is not installed (apt-get install kcat)")
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	command := exec.CommandContext(ctx, kcat, "-C", "-q", "-e", "-o", "beginning", "-D", "",
		"-b", address, "-t", topic, "-p", strconv.Itoa(partition))
	var complaints bytes.Buffer
	command.Stderr = &complaints
	values, err := command.Output()
	if err != nil {
		t.Fatalf("kcat of partition %d of %s: %v: %s", partition, topic, err, complaints.Bytes())
	}
	return values
}
