package script

import "testing"

func TestMain(m *testing.M) { Main(m, nil) }

func TestScripts(t *testing.T) { Run(t, map[string][]byte{"in": []byte("some text\n")}) }
