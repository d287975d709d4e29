package admission

import (
	"fmt"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// The fields by which plain bleve queries, facets and collapse.By know what a verdict said. Each
// is indexed as one term, stored, and in doc values.
const (
	TagField   = stored.TagField   // neardup_tag: Verdict.Policy of the verdict by which the document was tagged
	OfField    = stored.OfField    // neardup_of: the id of the document that it is a near-duplicate of
	GroupField = stored.GroupField // neardup_group: the name of its group
)

// Verdict says what happened to one document.
type Verdict struct {
	ID     string `json:"id"`
	Action Action `json:"action"`

	// Policy is the part of the policy that decided, as JSON names it: "near", "flood", "known", "repetition", "hidden" or
	// "unscoped". It is "wanted" if a mark lets the document in, and empty if no part applied.
	Policy string `json:"policy,omitempty"`

	// Of is the id of a near-duplicate of the document, in the index or in the same batch. Match says how alike the two are.
	Of    string           `json:"of,omitempty"`
	Match *signature.Match `json:"match,omitempty"`

	// Copies is how many near-duplicates there were within the window of the flood that decided,
	// up to the number that it allows. Distinct and Same are those of that Flood: with Distinct,
	// Copies is how many other values of that field they had.
	Copies   int    `json:"copies,omitempty"`
	Distinct string `json:"distinct,omitempty"`
	Same     string `json:"same,omitempty"`

	// Mark is the name of a mark that the document is like. Test says by which test, "near", or "lanes", "contains" or
	// "contained" of KnownRule, Match how alike the two are, and Share the estimated share of shingles by which the
	// document contains the mark or is contained in it, if that is the test.
	Mark  string  `json:"mark,omitempty"`
	Test  string  `json:"test,omitempty"`
	Share float64 `json:"share,omitempty"`

	// Exceeded names the limits on repetition that the document exceeds, with its figures.
	Exceeded []string `json:"exceeded,omitempty"`

	// Hidden is the share of its words that HTML hides, if that decided.
	Hidden float64 `json:"hidden,omitempty"`

	// Replaced has the ids of the documents of the index that it replaced and that were deleted. What else is in its batch
	// is rejected in its favour.
	Replaced []string `json:"replaced,omitempty"`

	// Capped is Policy.MaxReplaced, or its default, if the document was rejected because it
	// would have replaced more documents than that.
	Capped int `json:"capped,omitempty"`

	// Group is the name of the group that the document was written with, under Policy.Group, and Founded whether the name
	// is a new one, given to this document.
	Group   string `json:"group,omitempty"`
	Founded bool   `json:"founded,omitempty"`

	// Unscoped is Policy.Scope if the document has no term in that field, and so was compared with documents that have
	// none either. It is set whatever decided, but for a document without text, which is compared with nothing.
	Unscoped string `json:"unscoped,omitempty"`

	// Would is what would have happened without Policy.Shadow, if that changed the action.
	Would Action `json:"would,omitempty"`
}

// String says what happened to the document, and why, in one line.
func (v Verdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "document %q: %s", v.ID, v.Action)
	if v.Policy != "" {
		fmt.Fprintf(&b, " (%s)", v.Policy)
	}
	if v.Would != "" {
		fmt.Fprintf(&b, ", would be %s", v.Would)
	}
	if why := v.Why(); why != "" {
		b.WriteString(", " + why)
	}
	return b.String()
}

// Why says in a line what decided: of which document or mark the document is a copy, and how alike
// the two are. It is empty if no part of the policy applied, and the document has a scope.
func (v Verdict) Why() string {
	var why []string
	if v.Of != "" {
		why = append(why, fmt.Sprintf("a near-duplicate of %q", v.Of))
	}
	if v.Policy == "flood" {
		why = append(why, v.flood())
	}
	if v.Capped != 0 {
		why = append(why, fmt.Sprintf("would replace more than %d documents", v.Capped))
	}
	if v.Mark != "" {
		why = append(why, v.like())
	}
	if v.Exceeded != nil {
		why = append(why, strings.Join(v.Exceeded, "; "))
	}
	if v.Hidden > 0 {
		why = append(why, fmt.Sprintf("%.0f %% of its words are hidden", 100*v.Hidden))
	}
	if v.Unscoped != "" {
		why = append(why, fmt.Sprintf("without a value of %q", v.Unscoped))
	}
	line := strings.Join(why, ", ")
	if v.Match != nil {
		line += fmt.Sprintf(" (%d lanes agree, Hamming %d", v.Match.Agree, v.Match.Hamming)
		if v.Match.By != 0 {
			line += fmt.Sprintf(", by %s", v.Match.By)
		}
		line += ")"
	}
	return line
}

// flood says which copies were too many.
func (v Verdict) flood() string {
	same := ""
	if v.Same != "" {
		same = fmt.Sprintf(" with the same %s", v.Same)
	}
	if v.Distinct != "" {
		return fmt.Sprintf("after copies%s with %d other values of %s", same, v.Copies, v.Distinct)
	}
	return fmt.Sprintf("after %d copies%s", v.Copies, same)
}

// like says how the document is like its mark.
func (v Verdict) like() string {
	switch v.Test {
	case "lanes":
		return fmt.Sprintf("like what is marked %q", v.Mark)
	case "contains":
		return fmt.Sprintf("contains about %.0f %% of what is marked %q", 100*v.Share, v.Mark)
	case "contained":
		return fmt.Sprintf("about %.0f %% of it is in what is marked %q", 100*v.Share, v.Mark)
	}
	return fmt.Sprintf("a near-duplicate of what is marked %q", v.Mark)
}

// Rejected is the error of a write if some documents were rejected. All other documents have
// been written.
type Rejected struct {
	// Verdicts are the verdicts on the rejected documents, in the order of their ids.
	Verdicts []Verdict
}

// Error describes the first rejected document and says how many more there are.
func (r *Rejected) Error() string {
	if len(r.Verdicts) == 0 {
		return "neardup: nothing rejected"
	}
	if more := len(r.Verdicts) - 1; more > 0 {
		return fmt.Sprintf("neardup: %s; and %d more rejected", r.Verdicts[0], more)
	}
	return "neardup: " + r.Verdicts[0].String()
}
