// kubernetes-reader reads manifests from its input as an API server would, strictly: an unknown or repeated field, a value
// of another type, or an unknown kind is an error. It prints them as one JSON array.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	objects := []any{}
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && len(document) > 0 {
			var object any
			object, _, err = decoder.Decode(document, nil, nil)
			objects = append(objects, object)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(objects); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
