package batch_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/neardup/bleve-neardup/plugin/batch"
)

func Example() {
	dir, err := os.MkdirTemp("", "neardup")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	err = batch.Run(context.Background(), batch.Job{
		Read: func(s beam.Scope) beam.PCollection { // or ReadJSON
			return beam.CreateList(s, []batch.Document{
				{ID: "page", Text: "The quick brown fox jumps over the lazy dog while the cat looks on from the wall."},
				{ID: "mirror", Text: "THE QUICK BROWN FOX jumps over the lazy dog, while the cat looks on from the wall!"},
				{ID: "other", Text: "A fox is a small animal of the dog family that lives in woods, fields and towns."},
			})
		},
		Work: dir + "/work-", Groups: dir + "/groups", Keep: dir + "/keep", Shards: 1,
		Pipeline: func(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
			return beam.Run(ctx, "direct", p) // on a cluster beamx.RunWithMetrics
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	groups, err := os.ReadFile(dir + "/groups-00000-of-00001")
	fmt.Print(string(groups), err)
	// Output:
	// {"head":"mirror","members":["page"]}
	// <nil>
}
