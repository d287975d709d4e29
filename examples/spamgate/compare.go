package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// side is a policy of which a comparison shows what it would have done.
type side struct{ name, policy string }

// sides are the policies that stand beside the one in force.
var sides = []side{
	{"near-duplicates of anything", `{"scope":"tenant","time":"date","near":"reject"}`},
	{"the same, tagged", `{"scope":"tenant","time":"date","near":"tag"}`},
	{"flood of 3 in a day", `{"scope":"tenant","time":"date","floods":[{"copies":3,"window":"24h"}]}`},
	{"flood of 3 in 30 days", `{"scope":"tenant","time":"date","floods":[{"copies":3,"window":"720h"}]}`},
	{"near-duplicates of marks", `{"scope":"tenant","time":"date","known":"reject","known_rule":{"lanes":-1,"contains":-1}}`},
	{"what is like marks", `{"scope":"tenant","time":"date","known":"reject"}`},
}

// comparePolicies replays a mailbox under several policies, each in an index of its own, and prints
// side by side what they stop of the spam and touch of the legitimate mail.
func comparePolicies(ctx context.Context, g *gate, o options, stdout io.Writer) error {
	mails, err := g.mailbox(o)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tspam stopped\t\tspam tagged\t\tlegitimate stopped\t\tlegitimate tagged\t\tmarks\t")
	for _, s := range append(sides, side{"the policy in force", g.policyText()}) {
		if err := oneSide(ctx, s, mails, o.operator, w); err != nil {
			return err
		}
	}
	return w.Flush()
}

// oneSide replays a mailbox under one policy, and prints a row. The index is on disk, where bleve
// merges its segments: in memory, each batch would stay one.
func oneSide(ctx context.Context, s side, mails []document, operator bool, w io.Writer) (err error) {
	p := new(admission.Policy)
	if err := json.Unmarshal([]byte(s.policy), p); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "spamgate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	g, err := newGate(filepath.Join(dir, "index"), p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.index.Close()) }()
	t := newPlayer(g, operator && p.Known != "", io.Discard, 500)
	if err := t.play(ctx, mails); err != nil {
		return err
	}
	counts := map[string]int{}
	for _, f := range t.fates {
		counts[f.document.Label]++
		counts[f.document.Label+string(f.verdict.Action)]++
	}
	fmt.Fprintf(w, "%s\t", s.name)
	for _, label := range []string{"spam", "ham"} {
		for _, action := range []admission.Action{admission.Reject, admission.Tag} {
			n := counts[label+string(action)]
			fmt.Fprintf(w, "%d\t%.2f %%\t", n, 100*float64(n)/float64(max(1, counts[label])))
		}
	}
	fmt.Fprintf(w, "%d\t\n", t.marked)
	return nil
}
