package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// readMailbox reads the documents of a file, plain or gzipped, by date; documents of one time, or
// without a date, stay in order.
func (g *gate) readMailbox(file string) ([]document, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []document
	r, err := documents.Unzipped(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for number := 1; lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		d, err := g.decode(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		all = append(all, d)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: wanted lines of JSON, got none", file)
	}
	slices.SortStableFunc(all, func(a, b document) int { return a.Date.Compare(b.Date) })
	return all, nil
}

// player replays a mailbox, and keeps what became of it.
type player struct {
	gate     *gate
	operator bool
	out      io.Writer // of what is stopped; io.Discard if only the summary is wanted

	fates   []fate
	waiting []document // spam that got in and is not marked yet
	marked  int
}

// fate is what became of a document.
type fate struct {
	document document
	verdict  admission.Verdict
}

// replay submits a mailbox, the sample if o names no file, document by document, and prints what was stopped.
func replay(ctx context.Context, g *gate, o options, stdout io.Writer) error {
	mails := sample()
	if o.file != "" {
		var err error
		if mails, err = g.readMailbox(o.file); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(mails, func(d document) bool { return d.Tenant != "" }) {
		one := *g.policy // or each verdict would say that the document has no tenant
		one.Scope = ""
		if err := plugin.SetPolicy(ctx, g.index, &one); err != nil {
			return err
		}
		g.policy = &one
	}
	out := bufio.NewWriter(stdout)
	p := &player{gate: g, operator: o.operator, out: out}
	if o.quiet {
		p.out = io.Discard
	}
	if err := p.play(ctx, mails); err != nil {
		return err
	}
	p.summary(out, mails[0].Date, mails[len(mails)-1].Date)
	return out.Flush()
}

// play submits a mailbox. The operator looks through it after each day.
func (p *player) play(ctx context.Context, mails []document) error {
	for i, d := range mails {
		if p.operator && i > 0 && d.Date.Format(time.DateOnly) != mails[i-1].Date.Format(time.DateOnly) {
			if err := p.lookThrough(ctx, d.Date); err != nil {
				return err
			}
		}
		v, err := p.gate.submit(ctx, d)
		if err != nil {
			return fmt.Errorf("document %q: %w", d.ID, err)
		}
		p.fates = append(p.fates, fate{d, v})
		if d.Label == "spam" && v.Action != admission.Reject {
			p.waiting = append(p.waiting, d)
		}
		if v.Action != admission.Accept {
			fmt.Fprintln(p.out, line(d, v))
		}
	}
	return nil
}

// lookThrough is the operator's round: what is spam and got in is marked, for its own
// tenant.
func (p *player) lookThrough(ctx context.Context, now time.Time) error {
	marks, err := p.gate.marksOf(p.waiting)
	if p.waiting = p.waiting[:0]; err != nil || len(marks) == 0 {
		return err
	}
	p.marked += len(marks)
	fmt.Fprintf(p.out, "%s  the operator marks %d that got in\n", when(now, time.DateOnly), len(marks))
	return p.gate.inner.SetMark(ctx, marks...)
}

// marksOf are marks of mails, each for its own tenant. Mails without words have none.
func (g *gate) marksOf(spam []document) (marks []admission.Mark, err error) {
	for _, d := range spam {
		m := admission.Mark{Name: markName(d.Tenant, d.ID), Label: admission.Spam}
		if d.Tenant != "" {
			m.Scope = []string{d.Tenant}
		}
		if m.Signature, err = plugin.Sign(g.index, g.policy.Field, *d.Text); err != nil {
			return nil, err
		}
		if m.Signature.Tokens > 0 {
			marks = append(marks, m)
		}
	}
	return marks, nil
}

// when is a date, for documents that have one.
func when(t time.Time, layout string) string {
	if t.IsZero() {
		return "undated"
	}
	return t.Format(layout)
}

// line says what became of a document, when, and why.
func line(d document, v admission.Verdict) string {
	return fmt.Sprintf("%s  %-7s %-5s  %-4s  %s  %s", when(d.Date, "2006-01-02 15:04"), v.Action, v.Policy, cmp.Or(d.Label, "?"), d.ID, v.Why())
}

// summary prints how much was stopped, by label and part of the policy, and the ham
// that was touched.
func (p *player) summary(w io.Writer, from, to time.Time) {
	labels := map[string]int{}
	how := map[string]map[string]int{} // action and part of the policy: label: documents
	for _, f := range p.fates {
		label := cmp.Or(f.document.Label, "unlabelled")
		labels[label]++
		row := strings.TrimSpace(string(f.verdict.Action) + " " + f.verdict.Policy)
		if how[row] == nil {
			how[row] = map[string]int{}
		}
		how[row][label]++
	}
	fmt.Fprintf(w, "\n%d documents from %s to %s, %d marked by the operator\n\n", len(p.fates), when(from, time.DateOnly), when(to, time.DateOnly), p.marked)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	columns := sortedKeys(labels)
	for _, label := range columns {
		fmt.Fprintf(table, "\t%s\t", label)
	}
	fmt.Fprintln(table)
	for _, row := range append(sortedKeys(how), "all") {
		counts := how[row]
		if row == "all" {
			counts = labels
		}
		fmt.Fprint(table, row)
		for _, label := range columns {
			fmt.Fprintf(table, "\t%d\t%.1f %%", counts[label], 100*float64(counts[label])/float64(labels[label]))
		}
		fmt.Fprintln(table, "\t")
	}
	table.Flush()
	if labels["ham"] > 0 {
		fmt.Fprintln(w, "\nLegitimate mail that was touched:")
		touched := 0
		for _, f := range p.fates {
			if f.document.Label == "ham" && f.verdict.Action != admission.Accept {
				fmt.Fprintln(w, line(f.document, f.verdict))
				touched++
			}
		}
		if touched == 0 {
			fmt.Fprintln(w, "none")
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
