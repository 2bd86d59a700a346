package endtoend

import (
	"fmt"
	"path/filepath"
	"testing"
)

// adult writes features.txt, train.pp and test.pp of UCI's Adult census file to a folder. The rows have 106 features,
// one of them the intercept. Each row has at most 15 features, each at most 1.
func adult(t testing.TB, folder string) {
	t.Helper()
	for _, name := range []string{"adult.data", "adult.test"} {
		decompress(t, shared(t, "data/adult", name+".zst"), filepath.Join(folder, name))
	}
	schema := filepath.Join(root, "pipelines/recipes/schemas/adult.json")
	run(t, folder, fmt.Sprintf(`
		tokenize features --schema %q -o features.txt
		tokenize rows --schema %[1]q -o train.pp adult.data
		tokenize rows --schema %[1]q -o test.pp adult.test`, schema))
}
