package signature_test

import (
	"flag"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

var allNumbers = flag.Bool("numbers.all", false, "TestNumbersOnCorpora takes all corpora, not the smallest one")

// What the veto costs on real texts: of the pairs that the default rule finds, how many it no
// longer finds if numbers must be equal. Exact mirrors are equal after normalisation.
func TestNumbersOnCorpora(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, docs, pairs string
		large             bool
	}{
		{"LLVM manuals", "llvm-docs-versions/docs.jsonl.gz", "llvm-docs-versions/natural.tsv.gz", true},
		{"manuals, versions", "docs-versions/docs.jsonl.gz", "docs-versions/natural.tsv.gz", true},
		{"mails", "enron-spam/docs.jsonl.gz", "enron-spam/natural.tsv.gz", true},
		{"licences", "licenses/spdx_npm.jsonl.gz", "licenses/natural_spdx_npm.tsv.gz", true},
		{"licences of projects", "licenses/project_files.jsonl.gz", "licenses/natural_project_files.tsv.gz", true},
		{"text messages", "sms-spam/docs.jsonl.gz", "sms-spam/natural.tsv.gz", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.large && !*allNumbers {
				t.Skip("signs all documents of a corpus: see -numbers.all")
			}
			pairs, all := naturalPairs(t, tt.pairs), texts(neartest.Docs(t, tt.docs))
			p := signature.DefaultParams()
			equal := p
			equal.Numbers = signature.NumbersEqual
			signed := map[string][2]signature.Signature{}
			of := func(id string) [2]signature.Signature {
				s, ok := signed[id]
				if !ok {
					s = [2]signature.Signature{signature.Of(p, all[id]), signature.Of(equal, all[id])}
					signed[id] = s
				}
				return s
			}
			var found, lost [2]int // of exact mirrors, and of others
			for _, pair := range pairs {
				if pair.J < .7 {
					continue // the rule finds none of these
				}
				a, b := of(pair.A), of(pair.B)
				match, ok := signature.Rule{}.Match(&a[0], &b[0])
				if !ok {
					continue
				}
				kind := 1
				if match.By&signature.ByExact != 0 {
					kind = 0
				}
				found[kind]++
				if !(signature.Rule{}).Duplicates(&a[1], &b[1]) {
					lost[kind]++
				}
			}
			t.Logf("%s: %d of %d exact mirrors lost; %d of %d others, %.1f %%", tt.name, lost[0], found[0], lost[1], found[1], 100*float64(lost[1])/float64(max(1, found[1])))
			if lost[0] > 0 {
				t.Errorf("%d exact mirrors of %d are lost, want none", lost[0], found[0])
			}
		})
	}
}
