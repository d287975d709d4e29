package ondisk

import (
	"context"
	"fmt"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Result is what Run found.
type Result struct {
	Documents uint64 `json:"documents"`
	Groups    uint64 `json:"groups"`  // of two documents or more
	Dropped   uint64 `json:"dropped"` // members of groups that are not heads
}

// Run finds the groups of all documents that were added. After a stop, because of ctx, an
// error or a crash, it goes on with the run of rows, the kind of keys or the grouping where
// it stopped. Once it has finished, it returns the same result again.
func (j *Job) Run(ctx context.Context) (Result, error) {
	r, err := j.start(ctx)
	if err == nil {
		err = r.all()
	}
	if err != nil {
		return Result{}, fmt.Errorf("ondisk: %w", err)
	}
	return Result{j.m.Documents, j.m.Groups, j.m.Dropped}, nil
}

// between is the work time after which saving the sets is worthwhile, since saving waits
// for the disk.
const between = 10 * time.Second

// all does the steps that are not done yet.
func (r *run) all() error {
	n := int(r.m.Documents)
	if r.m.Grouped {
		r.tell((r.kinds + 2) * n)
		return r.ctx.Err()
	}
	if err := r.writeRuns(); err != nil {
		return err
	}
	if err := r.restore(); err != nil {
		return err
	}
	if err := r.sweep(); err != nil {
		return err
	}
	for kind, saved := r.m.Joined, time.Now(); kind < r.kinds; kind++ {
		r.tell((1+kind)*n - r.done)
		if err := r.join(kind); err != nil {
			return err
		}
		if kind == r.kinds-1 || time.Since(saved) > between || r.small > 0 {
			r.m.Joined = kind + 1
			if err := r.save(); err != nil {
				return err
			}
			saved = time.Now()
		}
	}
	r.tell((1+r.kinds)*n - r.done)
	if err := r.group(); err != nil {
		return err
	}
	r.tell((2+r.kinds)*n - r.done)
	return nil
}

// writeRuns writes the rows of all documents that do not have rows yet.
func (r *run) writeRuns() error {
	n := uint64(r.m.Documents)
	size := int(min(uint64(r.memory)/2/16/uint64(r.kinds+1), n-r.m.Keyed))
	rows, spare := make([][]row, r.kinds), make([]row, size)
	for kind := range rows {
		rows[kind] = make([]row, 0, size)
	}
	r.tell(int(r.m.Keyed))
	in := window{file: r.store.signatures}
	words := make([]uint64, sketch.Words(r.store.lanes))
	for doc := r.m.Keyed; doc < n; doc++ {
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
		if doc+1 == n || doc+1-r.m.Keyed == uint64(size) {
			r.tell(int(doc + 1 - r.m.Keyed))
			if spare, err = r.spill(rows, spare, doc+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// spill writes a run of each kind. It completes the rows of the documents before keyed.
func (r *run) spill(rows [][]row, spare []row, keyed uint64) ([]row, error) {
	for kind := range rows {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		rows[kind], spare = sortRows(rows[kind], spare)
		if err := r.writeRows(r.runPath(kind, r.m.Runs), rows[kind]); err != nil {
			return nil, err
		}
		rows[kind] = rows[kind][:0]
		if err := r.step(); err != nil {
			return nil, err
		}
	}
	r.m.Keyed = keyed
	r.m.Runs++
	return spare, r.commit()
}
