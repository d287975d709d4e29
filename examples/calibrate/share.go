package main

import (
	"fmt"
	"math"
)

// share is a share of pairs, with its interval of 95 %: Wilson's, which is honest at 0 and 1
// too (Wilson, "Probable inference, the law of succession, and statistical inference", 1927).
// The zero share is one of no pairs, of which nothing can be said.
type share struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Of    int     `json:"of"` // pairs
}

// deviations is how many standard deviations an interval of 95 % has to each side.
const deviations = 1.959964

func newShare(hits, of int) share {
	if of == 0 {
		return share{}
	}
	n, p, z := float64(of), float64(hits)/float64(of), deviations
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	s := share{Value: p, Low: (middle - half) / (1 + z*z/n), High: (middle + half) / (1 + z*z/n), Of: of}
	if hits == 0 {
		s.Low = 0
	}
	if hits == of {
		s.High = 1
	}
	return s
}

// String writes the share and its interval, or a dash if it is one of no pairs.
func (s share) String() string {
	if s.Of == 0 {
		return s.Figure()
	}
	return fmt.Sprintf("%s (%s)", s.Figure(), s.Interval())
}

// Figure is the share alone.
func (s share) Figure() string {
	if s.Of == 0 {
		return "–"
	}
	return decimals(s.Value)
}

// Interval is where the share lies, by the pairs that there are.
func (s share) Interval() string {
	return decimals(s.Low) + " to " + decimals(s.High)
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprint(n, " ", thing, "s")
}

// decimals writes a number from 0 to 1 with three digits. It writes 0 and 1 only for these.
func decimals(v float64) string {
	switch text := fmt.Sprintf("%.3f", v); {
	case v == 0 || v == 1:
		return fmt.Sprint(v)
	case text == "0.000":
		return "<0.001"
	case text == "1.000":
		return ">0.999"
	default:
		return text
	}
}
