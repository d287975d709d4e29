package gate

import (
	"fmt"
	"iter"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

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

// policy is a policy that is in force.
type policy struct {
	*admission.Policy
}

// fewDuplicates is how many near-duplicates are looked at where one is enough.
const fewDuplicates = 64

// maxReplaced is MaxReplaced or its default, -1 for any number.
func (p *policy) maxReplaced() int {
	if p.MaxReplaced == 0 {
		return 100
	}
	return max(p.MaxReplaced, -1)
}

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
func (p *policy) looks() bool { return severity(p.Near) > 0 || len(p.AllFloods()) > 0 }

// passes reports whether steady copies can pass each other: see flights.meets.
func (p *policy) passes() bool { return p.Near == admission.Tag && len(p.AllFloods()) == 0 }

// Names yields the members of a policy that name a field, as errors call them, and the names; nothing of no policy. That Policy.Field is
// fingerprinted is another question.
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
	return len(p.AllFloods()) > 0 || p.Near == admission.Replace && (&policy{p}).timely()
}

// severity orders actions.
func severity(a admission.Action) int {
	switch a {
	case admission.Tag:
		return 1
	case admission.Replace:
		return 2
	case admission.Reject:
		return 3
	}
	return 0
}

// severest returns the more severe of two verdicts, the first if they are equally severe.
func severest(a, b admission.Verdict) admission.Verdict {
	if severity(b.Action) > severity(a.Action) {
		return b
	}
	return a
}
