package ondisk

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// manyDocuments is the number of documents above which WriteKeys uses 10 tables of 25 bits
// of the simhash instead of 4 of 16 bits.
const manyDocuments = 1 << 22

// WriteKeys writes the rows of all documents that were added, for another engine to join. A
// line has a key (16 hexadecimal digits), a tab, and the number of the document (decimal,
// from 0). Documents that meet the rule share a key. A document has 16 keys by the default
// rule (22 if there are more than four million documents). Rules with a Hamming distance
// above 5 have no such keys, and give an error.
func (j *Job) WriteKeys(ctx context.Context, w io.Writer) error {
	if !j.m.Full {
		if err := j.Commit(); err != nil {
			return err
		}
	}
	var plan table.Plan
	if j.m.Documents > manyDocuments && j.m.Rule.Bits() <= 3 {
		plan.Tables = 10
	}
	keys := plan.Keys(j.m.Rule, j.store.lanes)
	if !keys.Complete() {
		return fmt.Errorf("ondisk: rule: hamming: wanted 0 to 5 for keys, got %d", j.m.Rule.Bits())
	}
	out := bufio.NewWriterSize(w, 1<<18)
	in := window{file: j.store.signatures}
	words := make([]uint64, sketch.Words(j.store.lanes))
	var own []uint64
	for doc := range j.m.Documents {
		data, err := in.at(int64(doc)*int64(8*j.store.words), 8*j.store.words)
		if err == nil && doc&0xfff == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("ondisk: keys: %w", err)
		}
		s := j.store.decode(data, words)
		own = keys.Append(own[:0], &s)
		for _, key := range own {
			if _, err := fmt.Fprintf(out, "%016x\t%d\n", key, doc); err != nil {
				return fmt.Errorf("ondisk: keys: %w", err)
			}
		}
	}
	return out.Flush()
}

// JoinPairs reads pairs of documents that share a key, found by another engine, instead of
// searching for them. A line has two numbers with a tab between them; lines can come in any
// order and more than once. It joins the pairs that meet the rule; Run then writes the
// groups. They are the same groups that Run would find, if no pair is missing except pairs
// that other lines connect.
func (j *Job) JoinPairs(ctx context.Context, from io.Reader) error {
	r, err := j.start(ctx)
	if err != nil {
		return fmt.Errorf("ondisk: %w", err)
	}
	if r.m.Joined > 0 {
		return errors.New("ondisk: pairs: cannot be joined after Run has joined keys")
	}
	if err := r.joinPairs(from); err != nil {
		return fmt.Errorf("ondisk: pairs: %w", err)
	}
	r.m.Keyed, r.m.Joined = r.m.Documents, r.kinds
	return r.save()
}

func (r *run) joinPairs(from io.Reader) error {
	if err := r.restore(); err != nil {
		return err
	}
	capacity := int(r.memory) / 2 / r.bytesARow()
	var rows []row
	in := bufio.NewScanner(from)
	for line := 1; in.Scan(); line++ {
		a, b, ok := strings.Cut(in.Text(), "\t")
		for _, text := range []string{a, b} {
			doc, err := strconv.ParseUint(text, 10, 32)
			if !ok || err != nil || doc >= r.m.Documents {
				return fmt.Errorf("line %d: wanted two numbers of documents below %d with a tab between, got %.60q", line, r.m.Documents, in.Text())
			}
			rows = append(rows, row{doc: uint32(doc)})
		}
		if n := len(rows); r.sets.Of(rows[n-1].doc) == r.sets.Of(rows[n-2].doc) {
			rows = rows[:n-2]
		}
		if len(rows)+2 > capacity {
			if err := r.verify(rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	return cmp.Or(in.Err(), r.verify(rows))
}

// verify joins the pairs of rows that meet the rule.
func (r *run) verify(rows []row) error {
	l, err := r.load(rows)
	if err != nil {
		return err
	}
	for i := 0; i < len(rows); i += 2 {
		if r.m.Rule.Duplicates(&l.all[i], &l.all[i+1]) {
			r.sets.Join(rows[i].doc, rows[i+1].doc)
		}
	}
	return nil
}
