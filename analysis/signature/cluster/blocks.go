package cluster

import (
	"cmp"
	"math/bits"
	"slices"
)

// joinBlocks joins documents whose simhashes are near. The keys of rows are the simhashes,
// rotated, of which the first bits are those that a bucket shares.
func (p *pass) joinBlocks(rows []row, starts []int) error {
	return buckets(rows, starts, func(_ int, bucket []row) error {
		return p.nearBits(bucket, ^(^uint64(0) >> p.width))
	})
}

// fewRows are compared pair by pair.
const fewRows = 64

// nearBits joins rows whose keys, which agree in the bits of shared, differ in no more
// than the rule's distance. At most as many of the bits that are left may differ, so
// of one block more than those, one agrees: the rows are sorted by each such block in
// turn, and what agrees in it is looked at by itself, as long as it is more than a few.
func (r *run) nearBits(rows []row, shared uint64) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	most := r.m.Rule.Hamming
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
		mask := part(free, most+1, n)
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

// part returns part n of several of the bits of whole, which has as many at least.
func part(whole uint64, parts, n int) (mask uint64) {
	total := bits.OnesCount64(whole)
	begin, end := n*total/parts, (n+1)*total/parts
	for at := 0; at < end; at++ {
		bit := whole & -whole
		if at >= begin {
			mask |= bit
		}
		whole &^= bit
	}
	return mask
}
