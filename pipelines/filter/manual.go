//go:build manual

package filter

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"privpipe/pipelines/manual"
)

func init() {
	describe = func(app *kong.Application) error {
		name := manual.Program + "-" + app.Name
		return errors.Join(
			os.WriteFile(filepath.Join(os.Getenv("PRIVPIPE_MANUAL"), name+".1"), manual.Page(app), 0o666),
			os.WriteFile(filepath.Join(os.Getenv("PRIVPIPE_MANUAL"), name+".bash"), manual.Table(app), 0o666))
	}
}
