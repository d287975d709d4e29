package template

// Cutter takes the tokens of a document, one value after another and as many at a time as
// there are, and gives back those that the set does not leave out. It is not safe for
// concurrent use. It keeps the last tokens of a value only: some fifty at the default width.
type Cutter struct {
	set    *Set
	buffer []uint64 // of the open value; the first of them are decided, and might be in a run with others
	done   int      // how many those are
	runs   []Run
	left   uint64
	gap    bool // something was left out since the last token that was given
}

// NewCutter returns a Cutter for a set.
func NewCutter(s *Set) *Cutter { return &Cutter{set: s} }

// Set is the set.
func (c *Cutter) Set() *Set { return c.set }

// Left is the number of tokens that were left out since the last Reset.
func (c *Cutter) Left() uint64 { return c.left }

// Reset makes c ready for another document.
func (c *Cutter) Reset() {
	c.buffer, c.done, c.left, c.gap = c.buffer[:0], 0, 0, false
}

// Cut takes the next tokens of a value, the last ones if end is true, and calls keep with
// tokens that remain, in order and at most limit at a time. gap says that something was left
// out before them, in this value. The tokens belong to c, and are valid during the call.
func (c *Cutter) Cut(tokens []uint64, end bool, limit int, keep func(tokens []uint64, gap bool)) {
	c.buffer = append(c.buffer, tokens...)
	c.runs = c.set.runs(c.runs[:0], c.buffer)
	reach := 2 * shortest(c.set.width) // how far from a token its run, or the runs around its gap, must be seen
	decided := len(c.buffer)
	if !end {
		decided = max(c.done, decided-reach)
	}
	from := c.done
	for _, r := range c.runs {
		start, to := max(from, min(r.From, decided)), min(r.To, decided)
		c.keep(from, start, limit, keep)
		if from = start; to > start {
			c.left += uint64(to - start)
			c.gap = true
			from = to
		}
	}
	c.keep(from, decided, limit, keep)
	if end {
		c.buffer, c.done, c.gap = c.buffer[:0], 0, false
		return
	}
	c.done = min(decided, reach)
	c.buffer = c.buffer[:copy(c.buffer, c.buffer[decided-c.done:])]
}

// keep gives the tokens between two places of the buffer.
func (c *Cutter) keep(from, to, limit int, keep func(tokens []uint64, gap bool)) {
	for from < to {
		n := min(limit, to-from)
		keep(c.buffer[from:from+n], c.gap)
		from += n
		c.gap = false
	}
}
