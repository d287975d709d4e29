package ondisk

import (
	"cmp"
	"fmt"
)

// A pass goes through the rows of one kind in the order of their keys. Rows that share a
// key are a bucket. Buckets that might yield a pair are collected until they fill the
// memory for signatures, then processed together.

// pass is one pass over the rows of a kind.
type pass struct {
	*run
	in       *merge
	what     string // that a bucket is, for an error
	width    int    // number of leading bits of the key that a bucket shares
	capacity int    // number of rows that are processed together
	rows     []row
	starts   []int // where the buckets begin in rows

	idle   func(bucket []row) bool // reports that a bucket yields no pair; may be nil
	handle func(rows []row, starts []int) error
}

// all goes through the rows of files.
func (p *pass) all(paths []string) (err error) {
	if p.in, err = openMerge(paths, p.memory/4); err != nil {
		return err
	}
	defer p.in.close()
	begin := 0 // of the current bucket
	for n := 1; ; n++ {
		row, ok, err := p.next()
		if err != nil {
			return err
		}
		if n%4096 == 0 {
			p.tell(4096)
		}
		if len(p.rows) > begin && (!ok || !p.share(p.rows[begin].key, row.key)) {
			if bucket := p.rows[begin:]; len(bucket) == 1 || p.idle != nil && p.idle(bucket) {
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
				return fmt.Errorf("memory: a %s of more than %d documents needs more than %d bytes", p.what, p.capacity, p.o.Memory)
			}
			begin = 0
		}
		p.rows = append(p.rows, row)
	}
}

// share reports whether two keys belong to one bucket.
func (p *pass) share(a, b uint64) bool { return (a^b)>>(64-p.width) == 0 }

// next returns the next row whose document continues.
func (p *pass) next() (row, bool, error) {
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

// flush processes the buckets before the one that begins at begin, and keeps that one.
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

// buckets calls each with the rows of every bucket, and the index at which they begin.
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
