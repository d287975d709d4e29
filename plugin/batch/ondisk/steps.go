package ondisk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Result is what Run found.
type Result struct {
	Documents uint64 `json:"documents"`
	Groups    uint64 `json:"groups"`  // of two documents or more
	Dropped   uint64 `json:"dropped"` // members of groups that are not heads
}

// Run finds the groups of all documents that were added. If it is stopped, because of ctx, an error or a crash, the
// next one begins anew. Once it has finished, it returns the same result again.
func (j *Job) Run(ctx context.Context) (Result, error) {
	err := j.Commit()
	if err != nil {
		return Result{}, err
	}
	if !j.m.Grouped {
		var r *run
		if r, err = j.start(ctx); err == nil {
			err = errors.Join(r.all(), os.RemoveAll(j.path(workDir)))
		}
	} else if j.o.Progress != nil {
		j.o.Progress(1, 1)
	}
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return Result{}, fmt.Errorf("ondisk: %w", err)
	}
	return Result{j.m.Documents, j.m.Groups, j.m.Dropped}, nil
}

// all does the steps.
func (r *run) all() error {
	n := int(r.m.Documents)
	if err := r.writeRuns(); err != nil {
		return err
	}
	for kind := range r.kinds {
		r.tell((1+kind)*n - r.done)
		if err := r.join(kind); err != nil {
			return err
		}
		for _, path := range r.runs[kind] {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	r.tell((1+r.kinds)*n - r.done)
	if err := r.group(); err != nil {
		return err
	}
	r.tell((2+r.kinds)*n - r.done)
	return nil
}

// writeRuns writes the rows of all documents.
func (r *run) writeRuns() error {
	n := uint64(r.m.Documents)
	size := cmp.Or(r.small, int(min(uint64(r.memory)/2/16/uint64(r.kinds), n)))
	rows := make([][]row, r.kinds)
	for kind := range rows {
		rows[kind] = make([]row, 0, size)
	}
	in := window{file: r.store.signatures}
	words := make([]uint64, sketch.Words(r.store.lanes))
	for doc := range n {
		data, err := in.at(int64(doc)*int64(8*r.store.words), 8*r.store.words)
		if err != nil {
			return err
		}
		s := r.store.decode(data, words)
		for kind := range rows {
			if key, ok := r.keys.Kind(kind, &s); ok {
				rows[kind] = append(rows[kind], row{key, uint32(doc)})
			}
		}
		if doc+1 == n || (doc+1)%uint64(size) == 0 {
			r.tell(int(doc+1) - r.done)
			if err := r.spill(rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// spill writes a run of each kind.
func (r *run) spill(rows [][]row) error {
	for kind := range rows {
		if err := cmp.Or(r.ctx.Err(), r.step()); err != nil {
			return err
		}
		sortRows(rows[kind])
		path := r.path(fmt.Sprintf(workDir+"/rows-%02d-%05d", kind, len(r.runs[kind])))
		if err := r.writeRows(path, rows[kind]); err != nil {
			return err
		}
		rows[kind], r.runs[kind] = rows[kind][:0], append(r.runs[kind], path)
	}
	return nil
}
