package class

import (
	"slices"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Form normalises texts to Unicode normal form NFKC, with the algorithm of UAX #15 as it is written. It keeps its
// scratch memory. The zero Form is ready for use; it is not safe for concurrent use.
//
// Package norm of golang.org/x/text has the tables, and its own way to apply them differs from the
// standard in texts with many marks. After 30 marks it inserts U+034F (the Stream-Safe Text Process
// of UAX #15), so that e with an accent and 30 marks became another token in NFD than in NFC. And it
// can join a mark to a letter before the last letter, if that is a vowel like U+09BE.
type Form struct {
	open []ordinal // decomposed, of the part that is not composed yet
}

// ordinal is a rune with its canonical combining class.
type ordinal struct {
	r     rune
	order uint8
}

// Append appends the NFKC of text to dst. It calls part, unless that is nil, for each part of the
// text that can be normalised for itself: the part of the result from in on was in the text from
// start until before end.
func (n *Form) Append(dst, text []byte, part func(in, start, end int)) []byte {
	start := 0
	flush := func(end int) {
		if part != nil && len(n.open) > 0 {
			part(len(dst), start, end)
		}
		dst = compose(dst, n.open)
		n.open, start = n.open[:0], end
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		before := len(n.open)
		n.decompose(r, text[i:])
		if first := n.open[before]; before > 0 && first.order == 0 && !Combines(first.r) {
			own := n.open[before:]
			n.open = n.open[:before]
			flush(i)
			n.open = append(n.open, own...)
		}
		i += size
	}
	flush(len(text))
	if cap(n.open) > keep {
		n.open = nil
	}
	return dst
}

// keep is the greatest number of runes for which scratch memory is kept.
const keep = 1 << 13

// The syllables of Hangul are decomposed and composed by arithmetic: Unicode 3.12.
const (
	firstLead, firstVowel, beforeTail, firstSyllable = 0x1100, 0x1161, 0x11a7, 0xac00
	leads, vowels, tails                             = 19, 21, 28
)

// decompose appends the decomposition of r, which is the first rune of text.
func (n *Form) decompose(r rune, text []byte) {
	if s := r - firstSyllable; 0 <= s && s < leads*vowels*tails {
		n.open = append(n.open, ordinal{firstLead + s/(vowels*tails), 0}, ordinal{firstVowel + s/tails%vowels, 0})
		if tail := s % tails; tail > 0 {
			n.open = append(n.open, ordinal{beforeTail + tail, 0})
		}
		return
	}
	parts := norm.NFKD.Properties(text).Decomposition()
	if parts == nil {
		n.open = append(n.open, ordinal{r, Order(r)})
		return
	}
	for len(parts) > 0 {
		r, size := utf8.DecodeRune(parts)
		n.open = append(n.open, ordinal{r, Order(r)})
		parts = parts[size:]
	}
}

// compose appends decomposed runes to dst, in canonical order and composed.
func compose(dst []byte, runes []ordinal) []byte {
	for i := 0; i < len(runes); {
		n := 1
		for runes[i].order > 0 && i+n < len(runes) && runes[i+n].order > 0 {
			n++
		}
		slices.SortStableFunc(runes[i:i+n], func(a, b ordinal) int { return int(a.order) - int(b.order) })
		i += n
	}
	kept, starter := runes[:0], -1
	for _, c := range runes {
		// c is blocked if a rune of its order or above, or a starter, is between the starter and c.
		if starter >= 0 && Combines(c.r) && (len(kept)-1 == starter || kept[len(kept)-1].order < c.order) {
			if r, ok := pair(kept[starter].r, c.r); ok {
				kept[starter].r = r
				continue
			}
		}
		if c.order == 0 {
			starter = len(kept)
		}
		kept = append(kept, c)
	}
	for _, c := range kept {
		dst = utf8.AppendRune(dst, c.r)
	}
	return dst
}

// pair returns what two runes become together, if that is one rune.
func pair(a, b rune) (rune, bool) {
	if l, v := a-firstLead, b-firstVowel; 0 <= l && l < leads && 0 <= v && v < vowels {
		return firstSyllable + (l*vowels+v)*tails, true
	}
	if s, t := a-firstSyllable, b-beforeTail; 0 <= s && s < leads*vowels*tails && s%tails == 0 && 0 < t && t < tails {
		return a + t, true
	}
	r, ok := pairs()[[2]rune{a, b}]
	return r, ok
}

// pairs has the runes that two runes become in NFC, but for Hangul.
var pairs = sync.OnceValue(func() map[[2]rune]rune {
	found := make(map[[2]rune]rune)
	var buf [utf8.UTFMax]byte
	for r := rune(0x80); r < 0x20000; r++ {
		if Stable(r) {
			continue
		}
		text := buf[:utf8.EncodeRune(buf[:], r)]
		parts := norm.NFD.Properties(text).Decomposition()
		if parts == nil || !norm.NFC.IsNormal(text) {
			continue
		}
		last, size := utf8.DecodeLastRune(parts)
		first, _ := utf8.DecodeRune(norm.NFC.Bytes(parts[:len(parts)-size]))
		found[[2]rune{first, last}] = r
	}
	return found
})

// Combines reports whether NFC can join r to a rune before it.
func Combines(r rune) bool {
	return joining()[r] || 0x1161 <= r && r <= 0x1175 || 0x11a8 <= r && r <= 0x11c2 // vowels and finals of Hangul
}

// joining has the runes that are joined to a rune before them in NFC.
var joining = sync.OnceValue(func() map[rune]bool {
	found := make(map[rune]bool)
	for pair := range pairs() {
		found[pair[1]] = true
	}
	return found
})

// Stable reports whether r is of a large block of which NFKC changes nothing: ideographs,
// syllables of Hangul and Yi, and what is for private use.
func Stable(r rune) bool {
	return 0x3400 <= r && r < 0xa4d0 || 0xac00 <= r && r < 0xf900 || 0x17000 <= r && r < 0x1b000
}

// Order returns the canonical combining class of r.
func Order(r rune) uint8 {
	var buf [utf8.UTFMax]byte
	return norm.NFKC.Properties(buf[:utf8.EncodeRune(buf[:], r)]).CCC()
}
