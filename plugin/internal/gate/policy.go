package gate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/strict"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// PolicyKey is the key, among the internal values of an index, under which it keeps the
// policy that is in force.
const PolicyKey = "neardup/policy"

// keptVersion is the version of the stored form of Kept.
const keptVersion = 1

// Kept is a policy as an index keeps it.
type Kept struct {
	Version int `json:"version"`

	// Policy is nil if none is in force.
	Policy *admission.Policy `json:"policy"`

	// Settings is the policy of the index's settings whose place Policy has taken, nil if
	// there was none.
	Settings *admission.Policy `json:"settings,omitempty"`
}

// Encode returns the stored form.
func (k Kept) Encode() ([]byte, error) {
	k.Version = keptVersion
	return json.Marshal(k)
}

// ParseKept reads what Encode wrote. What it does not know is an error: a policy that is
// read in part accepts what it should not.
func ParseKept(data []byte) (k Kept, err error) {
	var version struct {
		Version int `json:"version"`
	}
	if err = json.Unmarshal(data, &version); err == nil && version.Version != keptVersion {
		err = fmt.Errorf("version: wanted %d, got %d", keptVersion, version.Version)
	}
	if err == nil {
		err = strict.Decode(data, &k)
	}
	for _, p := range []*admission.Policy{k.Policy, k.Settings} {
		if err == nil && p != nil {
			err = p.Validate()
		}
	}
	if err != nil {
		return Kept{}, fmt.Errorf("admission: policy kept in the index: %w", err)
	}
	return k, nil
}

// The parts of a policy that decide, as admission.Verdict names them.
const (
	byNear       = "near"
	byFlood      = "flood"
	byKnown      = "known"
	byWanted     = "wanted"
	byRepetition = "repetition"
	byHidden     = "hidden"
	byUnscoped   = "unscoped"
)

// policy is a policy that is in force, with what it says in two ways said in one.
type policy struct {
	*admission.Policy
	floods []*admission.Flood
	prefer []admission.Preference
	latest bool // if nothing is preferred, the document stays that was written later
}

func inForce(p *admission.Policy) *policy {
	q := &policy{Policy: p, floods: floods(p), prefer: p.Prefer}
	if p.Prefer == nil {
		keep := cmp.Or(p.Keep, admission.Newest)
		q.prefer, q.latest = []admission.Preference{{Keep: keep}}, keep == admission.Newest
	}
	return q
}

// FieldOf is the fingerprinted field of a policy, which can be nil.
func FieldOf(p *admission.Policy) string {
	if p == nil {
		return signature.DefaultField
	}
	return cmp.Or(p.Field, signature.DefaultField)
}

// floods returns Flood, if it is there, and Floods.
func floods(p *admission.Policy) (all []*admission.Flood) {
	if p.Flood != nil {
		all = append(all, p.Flood)
	}
	for i := range p.Floods {
		all = append(all, &p.Floods[i])
	}
	return all
}

// FloodFields returns the names of the fields whose values the floods of a policy need, each once.
func FloodFields(p *admission.Policy) (names []string) {
	for _, f := range floods(p) {
		for _, name := range []string{f.Distinct, f.Same} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// fewDuplicates is how many near-duplicates are looked at where one is enough.
const fewDuplicates = 64

// maxReplaced is MaxReplaced or its default, -1 for any number.
func (p *policy) maxReplaced() int { return max(cmp.Or(p.MaxReplaced, 100), -1) }

// maxDuplicates is how many near-duplicates are looked at, but for a flood: one more than
// one document can replace, or all, which is -1. A policy in shadow replaces nothing, so
// that families grow, and never looks at all.
func (p *policy) maxDuplicates() int {
	switch most := p.maxReplaced(); {
	case p.Near != admission.Replace || most < 0 && p.Shadow:
		return fewDuplicates
	case most < 0:
		return -1
	default:
		return most + 1
	}
}

// looks reports whether near-duplicates in the index matter.
func (p *policy) looks() bool { return severity(p.Near) > 0 || len(p.floods) > 0 }

// passes reports whether steady copies can pass each other: see flights.meets.
func (p *policy) passes() bool { return p.Near == admission.Tag && len(p.floods) == 0 }

// timely reports whether times are compared.
func (p *policy) timely() bool {
	return slices.ContainsFunc(p.prefer, func(o admission.Preference) bool { return o.Keep == admission.Newest || o.Keep == admission.Oldest })
}

// Names yields the members of a policy that name a field, as errors call them, and the names; nothing of no policy.
// That Policy.Field is fingerprinted is another question.
func Names(p *admission.Policy) iter.Seq2[string, string] {
	return func(yield func(member, name string) bool) {
		if p == nil {
			return
		}
		all := [][2]string{{"scope", p.Scope}, {"time", p.Time}}
		flood := func(member string, f *admission.Flood) {
			all = append(all, [2]string{member + ": distinct", f.Distinct}, [2]string{member + ": same", f.Same})
		}
		if p.Flood != nil {
			flood("flood", p.Flood)
		}
		for i := range p.Floods {
			flood(fmt.Sprintf("floods[%d]", i), &p.Floods[i])
		}
		for i := range p.Prefer {
			all = append(all, [2]string{fmt.Sprintf("prefer[%d]: field", i), p.Prefer[i].Field})
		}
		for _, one := range all {
			if one[1] != "" && !yield(one[0], one[1]) {
				return
			}
		}
	}
}

// Timed reports whether a policy needs documents to be written with their time.
func Timed(p *admission.Policy) bool {
	return len(floods(p)) > 0 || p.Near == admission.Replace && inForce(p).timely()
}

// severity orders actions.
func severity(a admission.Action) int {
	return slices.Index([]admission.Action{admission.Tag, admission.Replace, admission.Reject}, a) + 1
}

// severest returns the more severe of two verdicts, the first if they are equally severe.
func severest(a, b admission.Verdict) admission.Verdict {
	if severity(b.Action) > severity(a.Action) {
		return b
	}
	return a
}
