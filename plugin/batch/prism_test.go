//go:build prism

package batch_test

import (
	"math/rand/v2"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/neardup/bleve-neardup/plugin/batch"
)

// Prism hands documents and signatures on as bytes, as a cluster does. Building it takes minutes: a tag of .ci/nightly.
func TestRunPrism(t *testing.T) {
	hold(t, "prism", batch.Options{}, corpus(rand.New(rand.NewPCG(3, 4)), 250))
}
