package gate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// PolicyKey is the key, among the internal values of an index, under which it keeps the
// policy that is in force.
const PolicyKey = "neardup/policy"

// FieldOf is the fingerprinted field of a policy, which can be nil.
func FieldOf(p *admission.Policy) string {
	if p == nil {
		return signature.DefaultField
	}
	return cmp.Or(p.Field, signature.DefaultField)
}

// FloodFields returns the names of the fields whose values the floods of a policy need, each once.
func FloodFields(p *admission.Policy) (names []string) {
	for _, f := range p.Floods {
		for _, name := range []string{f.Distinct, f.Same} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// policy is a policy that is in force.
type policy struct{ *admission.Policy }

// Few is how many near-duplicates are looked at where one is enough.
const Few = 64

// maxReplaced is MaxReplaced or its default, -1 for any number.
func (p policy) maxReplaced() int { return max(cmp.Or(p.MaxReplaced, 100), -1) }

// maxDuplicates is how many near-duplicates are looked at, but for a flood: one more than one document can replace, or
// all, which is -1; not in shadow, where nothing is replaced and families grow.
func (p policy) maxDuplicates() int {
	few := Few
	if p.Group {
		few++ // to know whether there are more
	}
	switch most := p.maxReplaced(); {
	case p.Near != admission.Replace || most < 0 && p.Shadow:
		return few
	case most < 0:
		return -1
	default:
		return max(most+1, few)
	}
}

// looks reports whether near-duplicates in the index matter.
func (p policy) looks() bool { return severity(p.Near) > 0 || len(p.Floods) > 0 || p.Group }

// Need is a field that a member of a policy names.
type Need struct {
	Member string // as errors call it
	Field  string
	Wanted string                           // which fields can be named
	Is     func(*mapping.FieldMapping) bool // whether one can
}

// Needs returns what a policy names, nothing of no policy. That Policy.Field is fingerprinted is another question.
func Needs(p *admission.Policy) []Need {
	if p == nil {
		return nil
	}
	indexed := func(member, name string) Need {
		return Need{member, name, "an indexed field", func(f *mapping.FieldMapping) bool { return f.Index }}
	}
	all := []Need{indexed("scope", p.Scope), {"time", p.Time, "a datetime field", func(f *mapping.FieldMapping) bool { return f.Type == "datetime" }}}
	for i, f := range p.Floods {
		member := fmt.Sprintf("floods[%d]: ", i)
		all = append(all, indexed(member+"distinct", f.Distinct), indexed(member+"same", f.Same))
	}
	for i, o := range p.Prefer {
		need := Need{fmt.Sprintf("prefer[%d]: field", i), o.Field, "a stored field", func(f *mapping.FieldMapping) bool { return f.Store }}
		if o.Values != nil {
			need.Wanted, need.Is = "a stored field of text", func(f *mapping.FieldMapping) bool { return f.Store && f.Type == "text" }
		}
		all = append(all, need)
	}
	return slices.DeleteFunc(all, func(n Need) bool { return n.Field == "" })
}

// Timed reports whether a policy needs documents to be written with their time.
func Timed(p *admission.Policy) bool {
	return len(p.Floods) > 0 || p.Near == admission.Replace && policy{p}.timely()
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
