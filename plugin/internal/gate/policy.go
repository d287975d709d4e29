package gate

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// policy is a policy that is in force.
type policy struct {
	*admission.Policy
}

// prefers reports whether a document that is written replaces one that is there.
func (p *policy) prefers(written, there admission.Candidate) bool {
	switch {
	case p.Prefer != nil:
		return p.Replaces(written, there)
	case p.Keep == admission.Longest:
		return written.Signature.Tokens > there.Signature.Tokens
	}
	return !written.Time.Before(there.Time)
}

// order returns in which order the documents of a batch are judged, by their places: in that of their ids, or, where one can replace
// another, the best first. So no document of the batch replaces another one of it, and what it would have replaced before that is
// neither deleted nor passed over for nothing.
func (p *policy) order(docs []*Document) []int {
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	if p.Near != admission.Replace {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int {
		one, two := docs[a].Signature, docs[b].Signature
		if one == nil || two == nil { // accepted, and compared with nothing
			return cmp.Compare(signed(two), signed(one))
		}
		// As if b came after a, and a after b.
		after, before := p.prefers(docs[b].candidate(), docs[a].candidate()), p.prefers(docs[a].candidate(), docs[b].candidate())
		switch {
		case after && before: // the later one of equals
			return cmp.Compare(b, a)
		case after:
			return 1
		case before:
			return -1
		}
		return 0
	})
	return order
}

func signed(s *signature.Signature) int {
	if s == nil {
		return 0
	}
	return 1
}

// fewDuplicates is how many near-duplicates are looked at where one is enough.
const fewDuplicates = 64

// maxReplaced is MaxReplaced or its default, -1 for any number.
func (p *policy) maxReplaced() int {
	if p.MaxReplaced == 0 {
		return admission.DefaultMaxReplaced
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
	return len(p.AllFloods()) > 0 || p.Near == admission.Replace && p.Timely()
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
