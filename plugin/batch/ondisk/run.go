package ondisk

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// run is the state of a call of Run. Its files are in workDir.
type run struct {
	*Job
	ctx        context.Context
	keys       *table.Keys
	kinds      int
	runs       [][]string // for each kind of key, the files of its rows
	memory     int64      // for rows and signatures
	sets       *table.Sets
	parent     []uint32
	equal      bitmap // documents that equal another, which continues for them
	loaded     []signature.Signature
	words      []uint64 // of their sketches
	done, told int
}

// workDir is the directory of what a Run that has ended does not need.
const workDir = "run"

// bitmap has a bit for each document.
type bitmap []byte

func (b bitmap) has(i uint32) bool { return b[i/8]>>(i%8)&1 != 0 }
func (b bitmap) set(i uint32)      { b[i/8] |= 1 << (i % 8) }

// needed returns the least memory for n documents in bytes: 4 for the sets and a bit for
// equal, per document, and enough for the buffers of a merge.
func needed(n uint64) int64 { return int64(n)*17/4 + 16<<20 }

// start makes a run of the documents that are committed ready.
func (j *Job) start(ctx context.Context) (*run, error) {
	n := int(j.m.Documents)
	if need := needed(j.m.Documents); j.o.Memory < need {
		return nil, fmt.Errorf("memory: wanted %d bytes or more for %d documents, got %d", need, n, j.o.Memory)
	}
	r := &run{Job: j, ctx: ctx, memory: j.o.Memory - int64(n)*33/8, keys: table.Plan{}.Keys(j.m.Rule, j.store.lanes)}
	r.kinds = r.keys.Kinds()
	r.runs = make([][]string, r.kinds)
	r.parent, r.equal = make([]uint32, n), make(bitmap, (n+7)/8)
	for i := range r.parent {
		r.parent[i] = uint32(i)
	}
	r.sets = table.NewSets(r.m.Rule, r.parent)
	if err := os.RemoveAll(r.path(workDir)); err != nil { // of a run that was stopped
		return nil, err
	}
	return r, os.Mkdir(r.path(workDir), 0o777)
}

// capacity is how many rows of so many bytes in memory are processed together.
func (r *run) capacity(bytes int) int { return cmp.Or(r.small, int(r.memory)/2/bytes) }

// tell adds to the work done and reports it. Each document is one unit of work for each
// kind of key, and two more.
func (r *run) tell(documents int) {
	r.done += documents
	total := (r.kinds + 2) * int(r.m.Documents)
	if r.o.Progress != nil && (r.done == total || r.done-r.told >= total/500) {
		r.told = r.done
		r.o.Progress(r.done, total)
	}
}

// bytesARow returns the memory for a row with its signature.
func (r *run) bytesARow() int { return 8*r.store.words + 48 }

// byDocument returns the positions of rows in the order of their documents.
func byDocument(rows []row) []uint32 {
	order := make([]uint32, len(rows))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(rows[a].doc, rows[b].doc) })
	return order
}

// load reads the signatures of rows, in the order of the file. They are valid until the
// next call.
func (r *run) load(rows []row) ([]signature.Signature, error) {
	order := byDocument(rows)
	per := sketch.Words(r.store.lanes)
	r.loaded = slices.Grow(r.loaded[:0], len(rows))[:len(rows)]
	r.words = slices.Grow(r.words[:0], per*len(rows))[:per*len(rows)]
	in := window{file: r.store.signatures}
	for n, i := range order {
		if n&0xfff == 0 && r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		data, err := in.at(int64(rows[i].doc)*int64(8*r.store.words), 8*r.store.words)
		if err != nil {
			return nil, err
		}
		r.loaded[i] = r.store.decode(data, r.words[int(i)*per:][:per:per])
	}
	return r.loaded, nil
}

// ids reads the ids of rows.
func (r *run) ids(rows []row) ([]string, error) {
	order := byDocument(rows)
	ids, in := make([]string, len(rows)), r.idReader()
	for _, i := range order {
		var err error
		if ids[i], err = in.at(rows[i].doc); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// together reports whether all rows of a bucket are in one set.
func (r *run) together(bucket []row) bool {
	first := r.sets.Of(bucket[0].doc)
	for _, other := range bucket[1:] {
		if r.sets.Of(other.doc) != first {
			return false
		}
	}
	return true
}
