package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
)

// Job is what Run does. Paths are those of the file systems that Beam has: local ones for
// runners on one machine, else gs:// or s3://, with the package of the file system imported.
type Job struct {
	Options

	// Read reads the Documents, as ReadJSON does.
	Read func(s beam.Scope) beam.PCollection

	// Work is the path that the names of files between pipelines begin with, such as
	// gs://bucket/parts/. They are written over, and may be removed afterwards.
	Work string

	// Groups and Keep are the paths of the results, which a number of the shard is added to:
	// groups as lines of the JSON of an ondisk.Group, and the ids to keep.
	Groups, Keep string

	// Shards is the number of files that each collection is written to, 16 if 0.
	Shards int

	// Rounds is how many rounds of Settle a pipeline has, 3 if 0. Most corpora
	// need one or two; a path of n documents about log n.
	Rounds int

	// Pipeline runs a pipeline: beamx.RunWithMetrics, or beam.Run with a runner.
	Pipeline func(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error)
}

// maxPipelines is how often Settle is tried: many times what the longest path of as many
// documents as there are would need.
const maxPipelines = 50

// Run runs the pipelines one after the other: signatures; edges; Settle until it is; groups.
// beam.Init must have been called.
func Run(ctx context.Context, j Job) error {
	if err := j.Validate(); err != nil {
		return err
	}
	if j.Read == nil || j.Pipeline == nil {
		return errors.New("batch: read, pipeline: wanted functions, got nil")
	}
	if j.Groups == "" || j.Groups == j.Keep || j.Keep == "" { // one would be written over the other
		return fmt.Errorf("batch: groups, keep: wanted two paths, got %q and %q", j.Groups, j.Keep)
	}
	if j.Shards < 0 || j.Rounds < 0 {
		return fmt.Errorf("batch: shards, rounds: wanted 1 or more, or 0 for the default, got %d and %d", j.Shards, j.Rounds)
	}
	if j.Shards == 0 {
		j.Shards = 16
	}
	if j.Rounds == 0 {
		j.Rounds = 3
	}
	result, err := j.run(ctx, "sign", func(s beam.Scope) {
		j.write(s, "signatures", beam.ParDo(s, signedLine, Sign(s, j.Options, j.Read(s))))
	})
	if err != nil {
		return err
	}
	if count(result, signedCount) == 0 {
		return errors.New("batch: documents: wanted some, got none")
	}
	_, err = j.run(ctx, "edges", func(s beam.Scope) {
		j.write(s, "edges-00", beam.ParDo(s, edgeLine, Edges(s, j.Options, j.signatures(s))))
	})
	if err != nil {
		return err
	}
	last, err := j.settle(ctx)
	if err != nil {
		return err
	}
	_, err = j.run(ctx, "groups", func(s beam.Scope) {
		groups, keep := Groups(s, j.Options, j.signatures(s), j.edges(s, last))
		WriteLines(s, j.Groups, j.Shards, groups)
		WriteLines(s, j.Keep, j.Shards, keep)
	})
	return err
}

// settle runs Settle until its counter is 0, and returns the name of the edges then.
func (j *Job) settle(ctx context.Context) (name string, err error) {
	name = "edges-00"
	for n := 1; n <= maxPipelines; n++ {
		next := fmt.Sprintf("edges-%02d", n)
		result, err := j.run(ctx, "settle", func(s beam.Scope) {
			j.write(s, next, beam.ParDo(s, edgeLine, Settle(s, j.edges(s, name), j.Rounds)))
		})
		if err != nil {
			return "", err
		}
		if name = next; count(result, Unsettled) == 0 {
			return name, nil
		}
	}
	return "", fmt.Errorf("batch: settle: wanted components after %d pipelines, got none", maxPipelines)
}

// count returns a counter.
func count(result beam.PipelineResult, name string) (n int64) {
	all := result.Metrics().Query(func(r beam.MetricResult) bool { return r.Name() == name })
	for _, c := range all.Counters() {
		n += max(c.Committed, c.Attempted)
	}
	return n
}

// run runs one pipeline.
func (j *Job) run(ctx context.Context, name string, build func(s beam.Scope)) (beam.PipelineResult, error) {
	p, s := beam.NewPipelineWithRoot()
	build(s)
	result, err := j.Pipeline(ctx, p)
	if err == nil && result == nil {
		err = errors.New("wanted a runner that returns metrics, got one that does not")
	}
	if err != nil {
		return nil, fmt.Errorf("batch: %s: %w", name, err)
	}
	return result, nil
}

func (j *Job) write(s beam.Scope, name string, lines beam.PCollection) {
	WriteLines(s, j.Work+name, j.Shards, lines)
}

func (j *Job) read(s beam.Scope, name string) beam.PCollection {
	return textio.Read(s, fmt.Sprintf("%s%s-*-of-%05d", j.Work, name, j.Shards))
}

func (j *Job) signatures(s beam.Scope) beam.PCollection {
	return beam.ParDo(s, parseSigned, j.read(s, "signatures"))
}

func (j *Job) edges(s beam.Scope, name string) beam.PCollection {
	return beam.ParDo(s, parseEdge, j.read(s, name))
}
