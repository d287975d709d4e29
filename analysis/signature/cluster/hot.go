package cluster

import (
	"bufio"
	"os"
)

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
