package cluster

import (
	"cmp"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// A pass goes through the rows of one kind in the order of their keys. Rows that share a
// key are a bucket. Buckets of which something may come are gathered until as many rows
// are there as memory has signatures for, and handed on together.

// pass is one such.
type pass struct {
	*run
	in       *merge
	width    int // of the key's bits, from the top, that a bucket shares
	capacity int // rows that are handed on together
	rows     []row
	starts   []int // of the buckets in rows

	idle   func(bucket []row) bool // nothing comes of it
	handle func(rows []row, starts []int) error
	hot    func(next row) error // handles a bucket beyond the capacity, which has all rows, with the next
	back   *row                 // is the next once more
}

// bytesARow is what a signature takes in memory, with its row.
func (r *run) bytesARow() int { return 8*r.store.words + 48 }

// join joins what meets the rule among the documents that share a key of a kind.
func (r *run) join(kind int) error {
	p := &pass{run: r, width: 64, capacity: int(r.memory) / 2 / r.bytesARow(), idle: r.together, handle: r.joinBands}
	p.hot = p.inParts
	switch {
	case kind == 0:
		p.idle = func([]row) bool { return false }
		p.handle = r.joinEqual
	case kind > r.keys.Bands():
		_, p.width, _ = r.keys.Block(kind-1-r.keys.Bands(), &signature.Signature{})
		p.capacity = int(r.memory) / 2 / 16
		p.handle = p.joinBlocks
	}
	var paths []string
	for i := range r.m.Runs {
		paths = append(paths, r.runPath(kind, i))
	}
	return p.all(paths)
}

// all passes through the rows of files.
func (p *pass) all(paths []string) (err error) {
	if p.in, err = openMerge(paths, p.memory/4); err != nil {
		return err
	}
	defer p.in.close()
	begin := 0 // of the bucket at hand
	for n := 1; ; n++ {
		row, ok, err := p.next()
		if err != nil {
			return err
		}
		if n%4096 == 0 {
			p.tell(4096)
		}
		if len(p.rows) > begin && (!ok || !p.share(p.rows[begin].key, row.key)) {
			if bucket := p.rows[begin:]; len(bucket) == 1 || p.idle(bucket) {
				p.rows = p.rows[:begin]
			} else {
				p.starts = append(p.starts, begin)
			}
			begin = len(p.rows)
		}
		if !ok {
			return p.flush(begin)
		}
		if len(p.rows) == p.capacity {
			if err := p.flush(begin); err != nil {
				return err
			}
			if begin == 0 {
				if err := p.hot(row); err != nil {
					return err
				}
				p.rows = p.rows[:0]
				continue
			}
			begin = 0
		}
		p.rows = append(p.rows, row)
	}
}

// share reports whether two keys are of one bucket.
func (p *pass) share(a, b uint64) bool { return (a^b)>>(64-p.width) == 0 }

// next returns the next row of a document that goes on.
func (p *pass) next() (row, bool, error) {
	if r := p.back; r != nil {
		p.back = nil
		return *r, true, nil
	}
	for {
		r, ok, err := p.in.next()
		if err == nil && r.doc&0xfff == 0 {
			err = cmp.Or(p.ctx.Err(), p.step())
		}
		if err != nil || !ok || !p.equal.has(r.doc) {
			return r, ok, err
		}
	}
}

// flush hands the buckets on that are before the one that begins at begin, and keeps
// that.
func (p *pass) flush(begin int) error {
	if len(p.starts) > 0 {
		if err := p.handle(p.rows[:begin], p.starts); err != nil {
			return err
		}
	}
	p.starts = p.starts[:0]
	p.rows = append(p.rows[:0], p.rows[begin:]...)
	return nil
}

// together reports whether all of a bucket are of one set.
func (r *run) together(bucket []row) bool {
	first := r.sets.Of(bucket[0].doc)
	for _, other := range bucket[1:] {
		if r.sets.Of(other.doc) != first {
			return false
		}
	}
	return true
}

// buckets calls each with the rows of every bucket, and where they begin.
func buckets(rows []row, starts []int, each func(begin int, bucket []row) error) error {
	for i, begin := range starts {
		end := len(rows)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		if err := each(begin, rows[begin:end]); err != nil {
			return err
		}
	}
	return nil
}

// loaded are the signatures of rows.
type loaded struct {
	all   []signature.Signature
	words []uint64
}

// byDocument returns the positions of rows in the order of their documents.
func byDocument(rows []row) []uint32 {
	order := make([]uint32, len(rows))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(rows[a].doc, rows[b].doc) })
	return order
}

// load reads the signatures of rows, in the order of the file. They stay until the next
// call.
func (r *run) load(rows []row) (*loaded, error) {
	order := byDocument(rows)
	per := sketch.Words(r.store.lanes)
	l := &r.loaded
	l.all = slices.Grow(l.all[:0], len(rows))[:len(rows)]
	l.words = slices.Grow(l.words[:0], per*len(rows))[:per*len(rows)]
	in := window{file: r.store.signatures}
	for n, i := range order {
		if n&0xfff == 0 && r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		data, err := in.at(int64(rows[i].doc)*int64(8*r.store.words), 8*r.store.words)
		if err != nil {
			return nil, err
		}
		l.all[i] = r.store.decode(data, l.words[int(i)*per:][:per:per])
	}
	return l, nil
}

// joinEqual joins documents of the same exact hash. Of equal signatures the first goes on.
func (r *run) joinEqual(rows []row, starts []int) error {
	l, err := r.load(rows)
	if err != nil {
		return err
	}
	return buckets(rows, starts, func(begin int, bucket []row) error {
		var differ []int
		for i, row := range bucket {
			s := &l.all[begin+i]
			if slices.ContainsFunc(differ, func(k int) bool { return table.Equal(&l.all[k], s) }) {
				r.equal.set(row.doc)
			} else {
				differ = append(differ, begin+i)
			}
			r.sets.Join(bucket[0].doc, row.doc)
		}
		return nil
	})
}

// joinBands joins documents that share a band.
func (r *run) joinBands(rows []row, starts []int) error {
	l, err := r.load(rows)
	if err != nil {
		return err
	}
	var members []uint32
	return buckets(rows, starts, func(begin int, bucket []row) error {
		members = members[:0]
		for _, row := range bucket {
			members = append(members, row.doc)
		}
		return r.sets.JoinBand(r.ctx, members, func(doc int) (signature.Signature, bool) {
			i, _ := slices.BinarySearch(members, uint32(doc))
			return l.all[begin+i], true
		})
	})
}
