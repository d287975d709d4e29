package marks

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// agreeing finds, among the sketches of many marks, those of which some lanes agree with the lanes of a document. It
// misses none. With 8 of 100 lanes a band, as in package table, would be one lane. So there is a list for each lane and
// value of the marks that have it there, and a lookup counts how often it meets each mark. It meets a 256th of the
// marks in each list by chance, 39,000 in all lists for 100,000 marks. So that this takes a nanosecond or two for each,
// the counts of a block of marks fit into the first-level cache, and all its lists are touched before they are walked:
// each waits for memory, and so they wait at the same time.
type agreeing struct {
	lanes  int
	n      int // sketches
	blocks [][][]uint16
	counts [blockSize]uint8 // of a lookup, by mark of a block; 0 between lookups

	now     [][]uint16 // the lists of a lookup
	touched uint16
}

const (
	values    = 1 << 8 // of a lane
	blockSize = 1 << 15
)

// add adds the sketch of a mark, at the next position.
func (a *agreeing) add(s sketch.Sketch) {
	if a.n%blockSize == 0 {
		a.blocks = append(a.blocks, make([][]uint16, a.lanes*values))
	}
	block := a.blocks[a.n/blockSize]
	for lane := range a.lanes {
		l := &block[lane*values+int(s.Lane(lane))]
		*l = append(*l, uint16(a.n%blockSize))
	}
	a.n++
}

// with calls each for the positions of all sketches of which at least so many lanes, 1 to 255, agree with s.
func (a *agreeing) with(s *signature.Signature, least uint8, each func(i int)) {
	if s.Lanes != a.lanes {
		return
	}
	counts := &a.counts
	for n, block := range a.blocks {
		a.now = a.now[:0]
		for lane := range a.lanes {
			a.now = append(a.now, block[lane*values+int(s.Sketch.Lane(lane))])
		}
		for _, list := range a.now {
			if last := len(list) - 1; last >= 0 {
				a.touched ^= list[0] ^ list[last/2] ^ list[last]
			}
		}
		var found []uint16
		for _, list := range a.now {
			for _, i := range list {
				c := counts[i%blockSize] + 1
				counts[i%blockSize] = c
				if c == least {
					found = append(found, i)
				}
			}
		}
		clear(counts[:min(blockSize, a.n-n*blockSize)])
		for _, i := range found {
			each(n*blockSize + int(i))
		}
	}
}
