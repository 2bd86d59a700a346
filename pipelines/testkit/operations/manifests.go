package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// manifests returns the Kubernetes objects in the files, in order. A field that its kind does not have, or has twice,
// is an error.
func manifests(files []string) ([]runtime.Object, error) {
	kinds := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apps.AddToScheme, batch.AddToScheme, core.AddToScheme,
		networking.AddToScheme} {
		utilruntime.Must(add(kinds))
	}
	decoder := serializer.NewCodecFactory(kinds, serializer.EnableStrict).UniversalDeserializer()
	var all []runtime.Object
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(content)))
		for {
			document := make([]byte, len(content)+1)
			n, err := documents.Read(document)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			object, _, err := decoder.Decode(document[:n], nil, nil)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, object)
		}
	}
	return all, nil
}
