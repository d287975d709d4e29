package ondisk

import (
	"bufio"
	"cmp"
	"os"
)

// A pass goes through the rows of one kind in the order of their keys. Rows that share a
// key are a bucket. Buckets that might yield a pair are collected until they fill the
// memory for signatures, then processed together.

// pass is one pass over the rows of a kind.
type pass struct {
	*run
	in       *merge
	width    int // number of leading bits of the key that a bucket shares
	capacity int // number of rows that are processed together
	rows     []row
	starts   []int // where the buckets begin in rows

	idle   func(bucket []row) bool // reports that a bucket yields no pair
	handle func(rows []row, starts []int) error
	hot    func(next row) error // handles a bucket larger than capacity, which fills rows, together with the next row
	back   *row                 // a row that next returns once more
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

// share reports whether two keys belong to one bucket.
func (p *pass) share(a, b uint64) bool { return (a^b)>>(64-p.width) == 0 }

// next returns the next row whose document continues.
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

// inParts handles a bucket that has more rows than capacity. It writes all of them to a
// file and handles each part of the file with each other part. next is the first row that
// did not fit.
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

// twoParts handles parts i and k of a bucket, which have size rows each.
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
