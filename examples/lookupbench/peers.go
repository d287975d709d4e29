package main

import (
	"context"

	"github.com/blevesearch/bleve/v2"
	minhashlsh "github.com/ekzhu/minhash-lsh"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/similar"
)

// peer is one way to look up.
type peer struct {
	name  string
	mode  signature.Mode // of the rule
	ready func() error   // builds or opens it; nil if that is done
	find  func(s *signature.Signature) (found int, err error)
	close func() error
	disk  int64
}

// tables returns the tables of a plan, without an index.
func tables(name string, c *table.Column, mode signature.Mode, plan table.Plan) *peer {
	var f *table.Frozen
	var p table.Probe
	return &peer{
		name: name, mode: mode,
		ready: func() error {
			f = table.Freeze(c, by(mode), plan, nil)
			return nil
		},
		find: func(s *signature.Signature) (found int, err error) {
			p.Prepare(by(mode), plan, s, 0)
			f.Near(&p, func(int) bool {
				found++
				return true
			})
			return found, nil
		},
		close: func() error {
			f = nil
			return nil
		},
	}
}

// ekzhu is github.com/ekzhu/minhash-lsh with the bands that it chooses itself for
// resemblance .9. It gives candidates, which are judged by the rule here.
func ekzhu(c *table.Column) *peer {
	var lsh *minhashlsh.MinhashLSH
	wide := make([]uint64, lanes)
	widen := func(s *signature.Signature) []uint64 {
		for i := range wide {
			wide[i] = uint64(s.Sketch.Lane(i))
		}
		return wide
	}
	rule := by(signature.SketchOnly)
	return &peer{
		name: "ekzhu/minhash-lsh, its bands for .9", mode: signature.SketchOnly,
		ready: func() error {
			lsh = minhashlsh.NewMinhashLSH(lanes, .9)
			for i := range c.Len() {
				s, _ := c.At(i)
				lsh.Add(i, widen(&s))
			}
			lsh.Index()
			return nil
		},
		find: func(s *signature.Signature) (found int, err error) {
			for _, key := range lsh.Query(widen(s)) {
				if other, _ := c.At(key.(int)); rule.Duplicates(&other, s) {
					found++
				}
			}
			return found, nil
		},
		close: func() error {
			lsh = nil
			return nil
		},
	}
}

// byTerms is an index on disk, asked through bleve.
func byTerms(path string, first *signature.Signature) *peer {
	var x bleve.Index
	return &peer{
		name: "index, by terms, through bleve", mode: signature.Either,
		ready: func() (err error) {
			x, err = open(path, similar.Terms, first)
			return err
		},
		find:  func(s *signature.Signature) (int, error) { return search(x, similar.Terms, s) },
		close: func() error { return x.Close() },
	}
}

// inMemory is an index on disk, asked in two ways: as package admission does, by the
// numbers of its documents, and through bleve.
func inMemory(path string, first *signature.Signature) (direct, through *peer) {
	var x bleve.Index
	var p table.Probe
	var l *column.Lookup
	rule := by(signature.Either)
	find := func(s *signature.Signature) (found int, err error) {
		p.Prepare(rule, table.Plan{}, s, 0)
		l.Near(&p, func(uint64) bool {
			found++
			return true
		})
		return found, nil
	}
	direct = &peer{
		name: "index, in memory", mode: signature.Either, find: find,
		ready: func() (err error) {
			if x, err = bleve.Open(path); err != nil {
				return err
			}
			if l, err = lookup(x, rule); err != nil {
				return err
			}
			_, err = find(first)
			return err
		},
		close: func() error { return x.Close() },
	}
	through = &peer{
		name: "the same, through bleve", mode: signature.Either,
		find:  func(s *signature.Signature) (int, error) { return search(x, similar.Memory, s) },
		close: func() error { return nil },
	}
	return direct, through
}

// lookup returns the Lookup of an index as it is.
func lookup(x bleve.Index, rule signature.Rule) (*column.Lookup, error) {
	inner, err := x.Advanced()
	if err != nil {
		return nil, err
	}
	reader, err := inner.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return column.Of(reader, plugin.Field).Lookup(context.Background(), rule, table.Plan{}, "")
}
