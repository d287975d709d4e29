package html

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Words are numbers of words of a page. Words are what Content counts 20 of.
type Words struct {
	// All is the number of all words, and Hidden how many of them nobody sees: those that Visible
	// leaves out, and those in template and in noscript. A word of which a part is hidden counts
	// as one that is and one that is not.
	All    uint64 `json:"all"`
	Hidden uint64 `json:"hidden"`
}

// Share is the share of hidden words, 0 to 1; 0 if there are no words.
func (w Words) Share() float64 {
	if w.All == 0 {
		return 0
	}
	return float64(w.Hidden) / float64(w.All)
}

// Plus returns the sums of w and o.
func (w Words) Plus(o Words) Words { return Words{w.All + o.All, w.Hidden + o.Hidden} }

// Stored returns the stored form: Hidden and All in decimal, such as "12/340".
func (w Words) Stored() string { return fmt.Sprintf("%d/%d", w.Hidden, w.All) }

// ParseWords reads what Stored returned. It returns an error for anything else.
func ParseWords(stored string) (Words, error) {
	hidden, all, _ := strings.Cut(stored, "/")
	h, err1 := strconv.ParseUint(hidden, 10, 64)
	a, err2 := strconv.ParseUint(all, 10, 64)
	if w := (Words{a, h}); err1 == nil && err2 == nil && h <= a && w.Stored() == stored {
		return w, nil
	}
	return Words{}, fmt.Errorf("html: wanted numbers of hidden and of all words, such as \"12/340\", got %q", stored)
}

// TextWords is Text, and counts words in the same pass.
func TextWords(dst, src []byte) ([]byte, Words) { return counted(dst, src, 0) }

// VisibleWords is Visible, and counts words in the same pass.
func VisibleWords(dst, src []byte) ([]byte, Words) { return counted(dst, src, hidden) }

// ContentWords is Content, and counts words in the same pass.
func ContentWords(dst, src []byte) ([]byte, Words) { return counted(dst, src, hidden|template) }

func counted(dst, src []byte, what reasons) ([]byte, Words) {
	t := new(tally)
	dst = without(dst, src, what, t)
	return dst, Words{All: uint64(t.shown.n + t.hidden.n), Hidden: uint64(t.hidden.n)}
}

// tally counts the words of a page.
type tally struct {
	shown, hidden words
	text          []byte // with references decoded
}

// boundary ends the words that are open.
func (t *tally) boundary() { t.shown.open, t.hidden.open = false, false }

func (t *tally) add(p []byte, hides bool) {
	if hides {
		t.hidden.count(p, math.MaxInt)
	} else {
		t.shown.count(p, math.MaxInt)
	}
}

// hides reports whether text that comes now is hidden.
func (r *reader) hides() bool { return r.noscript || r.templates > 0 || r.page.hiding.open }

// unwritten counts text that is not written.
func (r *reader) unwritten(p []byte, references bool) {
	if references {
		r.tally.text = appendText(r.tally.text[:0], p)
		p = r.tally.text
	}
	r.tally.add(p, r.hides())
}

// scriptless counts what is in a noscript.
func (r *reader) scriptless(content []byte) {
	inner := reader{src: content, tally: r.tally, noscript: true}
	inner.page.mute = true
	r.tally.hidden.open = false
	inner.read()
	r.tally.hidden.open = false
}

// hiding is the outermost open element that hides its text.
type hiding struct {
	open   bool
	level  int    // it ends when fewer blocks are open
	name   []byte // of an element that is no block
	nested int    // open elements of that name
}

// hide begins an element that hides its text; name is nil for a block.
func (r *reader) hide(name []byte) {
	r.page.hiding = hiding{true, r.page.depth, name, 1}
	r.tally.hidden.open = false
}
