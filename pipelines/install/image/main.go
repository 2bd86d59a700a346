// Command image writes an OCI image layout for several architectures, without a daemon. Its bytes depend on its
// arguments alone. image.sh runs it.
//
//	image OUT CREATED VERSION ARCHITECTURE=LAYER.tar…
//
// CREATED is a time in seconds since 1970. The image is FROM scratch: nothing but the layer is in it.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "image: error:", err)
		os.Exit(1)
	}
}

func write(arguments []string) error {
	if len(arguments) < 4 {
		return fmt.Errorf("wants OUT CREATED VERSION ARCHITECTURE=LAYER.tar…")
	}
	out, version := arguments[0], arguments[2]
	seconds, err := strconv.ParseInt(arguments[1], 10, 64)
	if err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, one := range arguments[3:] {
		architecture, file, _ := strings.Cut(one, "=")
		image, err := imageOf(architecture, file, version, time.Unix(seconds, 0).UTC())
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "linux", Architecture: architecture},
		}})
	}
	_, err = layout.Write(out, index)
	return err
}

// imageOf makes the image of an architecture. It runs as a user without a name or a right, and PATH has the stages.
func imageOf(architecture, file, version string, created time.Time) (v1.Image, error) {
	layer, err := tarball.LayerFromFile(file, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image, err := mutate.Append(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		types.OCIConfigJSON), mutate.Addendum{Layer: layer, History: v1.History{
		Created: v1.Time{Time: created}, CreatedBy: "pipelines/install/image.sh",
	}})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", architecture, v1.Time{Time: created}
	config.Config = v1.Config{
		User: "65532:65532", Env: []string{"PATH=/bin"}, WorkingDir: "/work", Cmd: []string{"account", "--help"},
		Labels: map[string]string{
			"org.opencontainers.image.title":   "privpipe",
			"org.opencontainers.image.version": version,
		},
	}
	return mutate.ConfigFile(image, config)
}
