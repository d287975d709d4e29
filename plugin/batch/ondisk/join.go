package ondisk

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// join joins pairs that meet the rule among documents that share a key of one kind.
func (r *run) join(kind int) error {
	p := &pass{run: r, what: "key", width: 64, capacity: r.capacity(r.bytesARow()), idle: r.together, handle: r.joinBands}
	switch {
	case kind == 0:
		p.idle = nil
		p.handle = r.joinEqual
	case kind > r.keys.Bands():
		p.width = r.keys.Width(kind)
		p.capacity = r.capacity(16)
		p.handle = p.joinBlocks
	}
	return p.all(r.runs[kind])
}

// joinEqual joins documents with the same exact hash. Of equal signatures only the first
// continues.
func (r *run) joinEqual(rows []row, starts []int) error {
	all, err := r.load(rows)
	if err != nil {
		return err
	}
	return buckets(rows, starts, func(begin int, bucket []row) error {
		var differ []int
		for i, row := range bucket {
			s := &all[begin+i]
			if slices.ContainsFunc(differ, func(k int) bool { return table.Equal(&all[k], s) }) {
				r.equal.set(row.doc)
			} else {
				differ = append(differ, begin+i)
			}
			r.sets.Join(bucket[0].doc, row.doc)
		}
		return nil
	})
}

// joinBands joins documents that share a band and meet the rule.
func (r *run) joinBands(rows []row, starts []int) error {
	all, err := r.load(rows)
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
			return all[begin+i], true
		})
	})
}

// joinBlocks joins documents whose simhashes are near. The keys of rows are the rotated
// simhashes, so that a bucket shares their first bits.
func (p *pass) joinBlocks(rows []row, starts []int) error {
	return buckets(rows, starts, func(_ int, bucket []row) error {
		return p.nearBits(bucket, ^(^uint64(0) >> p.width))
	})
}

// fewRows is the greatest number of rows that are compared pair by pair.
const fewRows = 64

// nearBits joins rows whose keys differ in no more bits than the rule allows. The keys
// agree in the bits of shared. The remaining bits are divided into one block more than bits
// may differ, so near keys agree in at least one block. The rows are sorted by each block
// in turn, and rows that agree in it are handled by themselves, unless there are only a
// few.
func (r *run) nearBits(rows []row, shared uint64) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	most := r.m.Rule.Bits()
	free := ^shared
	switch {
	case r.together(rows):
		return nil
	case bits.OnesCount64(free) <= most:
		for _, other := range rows[1:] {
			r.sets.Join(rows[0].doc, other.doc)
		}
		return nil
	case len(rows) <= fewRows:
		for i, a := range rows {
			for _, b := range rows[:i] {
				if bits.OnesCount64(a.key^b.key) <= most {
					r.sets.Join(a.doc, b.doc)
				}
			}
		}
		return nil
	}
	for n := range most + 1 {
		mask := simhash.Mask(free, most+1, n)
		slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.key&mask, b.key&mask) })
		for begin := 0; begin < len(rows); {
			end := begin + 1
			for end < len(rows) && (rows[begin].key^rows[end].key)&mask == 0 {
				end++
			}
			if end-begin > 1 {
				if err := r.nearBits(rows[begin:end], shared|mask); err != nil {
					return err
				}
			}
			begin = end
		}
	}
	return nil
}
