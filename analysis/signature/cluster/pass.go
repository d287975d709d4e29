package cluster

import (
	"bufio"
	"cmp"
	"os"
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

// inParts handles a bucket of more rows than are handed on together: all of them are
// written to a file, and each part of it is handled with each other part. next is the
// first row that had no room.
func (p *pass) inParts(next row) error {
	path := p.path("bucket")
	defer os.Remove(path)
	total := 0
	err := p.writeFile(path, func(w *bufio.Writer) error {
		for _, r := range p.rows {
			if err := writeRow(w, r); err != nil {
				return err
			}
		}
		total = len(p.rows)
		var err error
		for ok := true; ok && p.share(p.rows[0].key, next.key); total++ {
			if err = writeRow(w, next); err != nil {
				return err
			}
			if next, ok, err = p.next(); err != nil || !ok {
				return err
			}
		}
		p.back = &next
		return nil
	})
	if err != nil {
		return err
	}
	half := p.capacity / 2
	parts := (total + half - 1) / half
	for i := range parts {
		for k := i + 1; k < parts; k++ {
			if err := p.twoParts(path, half, i, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// twoParts handles two parts of a bucket, each of so many rows.
func (p *pass) twoParts(path string, size, i, k int) error {
	p.rows = p.rows[:0]
	for _, part := range []int{i, k} {
		r, err := openRows(path, 0, maxBuffer)
		if err != nil {
			return err
		}
		defer r.file.Close()
		if _, err := r.file.Seek(int64(part)*int64(size)*rowSize, 0); err != nil {
			return err
		}
		for range size {
			ok, err := r.next()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if !p.equal.has(r.row.doc) {
				p.rows = append(p.rows, r.row)
			}
		}
	}
	if len(p.rows) < 2 || p.idle(p.rows) {
		return nil
	}
	return p.handle(p.rows, []int{0})
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
