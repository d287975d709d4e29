package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// row is what was measured of one peer.
type row struct {
	Name    string `json:"name"`
	Missing string `json:"missing,omitempty"` // the command that installs it

	MBs   float64 `json:"mb_s"`       // a CPU second, 10^6 bytes
	NS    float64 `json:"ns_shingle"` // for each shingle of 4 words of the text
	Ratio float64 `json:"ratio"`      // CPU time, this library is 1
	Bytes float64 `json:"bytes_doc"`

	// Accuracy is by unions and resemblances; nil if not measured.
	Accuracy []accuracy `json:"accuracy,omitempty"`

	seconds []float64 // of each round
}

// accuracy is the share of pairs of random sets of which 90 of 100 lanes agree.
type accuracy struct {
	Union       int     `json:"union"` // elements of both sets together
	Resemblance float64 `json:"resemblance"`
	Duplicates  float64 `json:"duplicates"`
}

// The sets that accuracy is measured on; resemblances are in twentieths.
var (
	unions       = []int{20, 200}
	resemblances = []int{16, 19}
)

// report is all that was measured.
type report struct {
	Docs     int    `json:"docs"`
	Bytes    int    `json:"bytes"`
	Shingles int    `json:"shingles"`
	Rounds   int    `json:"rounds"`
	Pairs    int    `json:"pairs"`
	Go       string `json:"go"`
	Rows     []row  `json:"rows"`
}

// slice is the least CPU time that one turn takes: fast peers do the documents
// several times. The clock of the JVM has steps of 10 ms.
const slice = 100 * time.Millisecond

// measure lets the peers take turns; the first one is this library.
func measure(peers []peer, docs [][]byte, o options, stderr io.Writer) (*report, error) {
	r := &report{Docs: len(docs), Rounds: o.rounds, Pairs: o.pairs, Go: runtime.Version(), Rows: make([]row, len(peers))}
	for _, d := range docs {
		s := signature.Of(signature.DefaultParams(), d)
		r.Bytes += len(d)
		r.Shingles += max(0, int(s.Tokens)-width+1)
	}
	for i, p := range peers {
		r.Rows[i] = row{Name: p.name, Missing: p.missing, Bytes: p.bytes}
		if p.missing == "" {
			if err := p.pass(); err != nil { // a pass to warm up
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	for round := range o.rounds {
		fmt.Fprintf(stderr, "round %d of %d\n", round+1, o.rounds)
		for i, p := range peers {
			if p.missing != "" {
				continue
			}
			seconds, err := turn(p)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			r.Rows[i].seconds = append(r.Rows[i].seconds, seconds)
		}
	}
	for i, p := range peers {
		w := &r.Rows[i]
		if p.missing != "" {
			continue
		}
		w.finish(r, r.Rows[0].seconds)
		if o.pairs == 0 || p.agree == nil && p.accept == nil {
			continue
		}
		for _, union := range unions {
			for _, twentieths := range resemblances {
				share, err := p.accepted(o.pairs, union*twentieths/20, union)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", p.name, err)
				}
				w.Accuracy = append(w.Accuracy, accuracy{union, float64(twentieths) / 20, share})
			}
		}
	}
	return r, nil
}

// turn is the CPU time in seconds of one pass over the documents.
func turn(p peer) (float64, error) {
	runtime.GC() // what others left is not p's to clear
	before, err := p.cpu()
	if err != nil {
		return 0, err
	}
	for passes := 1; ; passes++ {
		if err := p.pass(); err != nil {
			return 0, err
		}
		now, err := p.cpu()
		if err != nil {
			return 0, err
		}
		if took := now - before; took >= int64(slice) {
			return float64(took) / 1e9 / float64(passes), nil
		}
	}
}

// finish computes speeds from the median round, and the median of the ratios to
// this library in the same round.
func (w *row) finish(r *report, own []float64) {
	seconds := median(w.seconds)
	w.MBs = float64(r.Bytes) / 1e6 / seconds
	w.NS = seconds * 1e9 / float64(max(1, r.Shingles))
	ratios := make([]float64, len(own))
	for i := range own {
		ratios[i] = w.seconds[i] / own[i]
	}
	w.Ratio = median(ratios)
}

// median is the upper one of two in the middle.
func median(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }

func (r *report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}
