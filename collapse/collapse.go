// Package collapse folds near-copies in bleve's search results: of each group of near-duplicates the best-ranked hit
// stays, and the others are listed under it.
//
// There are only a few types in collapse. A search takes Options and returns a Result. A Result has Groups: each is a
// head with its Members. A Cursor continues with the next page. A Query collapses within any bleve search. The other
// types are fields of these.
//
//	result, err := collapse.Search(ctx, index, request, collapse.Options{})
//	for hit, place := range result.All() {
//		fmt.Println(hit.ID, "and", len(place.Copies), "near-copies")
//	}
//
// There are two forms. The page form, which is the default, looks at no more hits than the page needs. It works on
// any bleve.Index, since the signatures come with the hits as stored fields. The whole form first groups all
// matches. Options.Whole asks for it on a local index or an alias of local ones; a [Query] is the whole form within
// any bleve search of a local index. Use the page form unless total and facets must count the collapsed set: a copy can
// rank so low that the page of its head does not meet it. The page that meets it lists it in Result.Earlier.
//
// Package serve serves both forms as JSON over HTTP, and package explain says what two copies have in common.
//
// Only documents that were written to an index of type neardup have signatures, in the field that Options.Field
// names. If an index is known to have none, Search returns an error that says so. If some documents have none,
// Result.Unsigned counts them among the hits, and neardup_unsigned in StatsMap counts them as they are written.
//
// # What is promised
//
// Hits are taken in rank order. If a head before a hit matches it by the rule, the hit is hidden, and listed under
// the first such head. Any other hit becomes a head itself. So every hidden hit is within the rule of its visible
// head: groups are not chains. A hit without a readable signature is never hidden, unless an option says so.
//
// From and Size count the hits that are shown, which are groups unless an option says otherwise. Pages partition the
// groups: as long as the index does not change, no head is shown twice and none is left out. A page by From,
// SearchAfter or SearchBefore that begins beyond the budget is an error that wraps ErrTooMany. A Cursor says what holds
// while the index changes.
//
// Total and facets are bleve's own: they count all matches in the page form, and the collapsed set in the whole form.
// Result.TotalGroups counts the groups.
package collapse

import (
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/collapse/explain"
)

// Ref names a document by its id and by the name of its index: two members of an alias can
// have the same id.
type Ref struct {
	Index string `json:"index,omitempty"`
	ID    string `json:"id"`
}

func refOf(hit *search.DocumentMatch) Ref { return Ref{Index: hit.Index, ID: hit.ID} }

// Member is a hit that is a near-copy of a head.
type Member struct {
	Ref
	// Score is the score of this hit.
	Score float64 `json:"score"`
	// Match compares it with the head and says which tests it passed.
	signature.Match
	// Key says that it has the head's key: see By. It might not be a near-duplicate then.
	Key bool `json:"key,omitempty"`
	// Verified says that its text and the text of the head were compared, as Options.Verify asks for.
	Verified bool `json:"verified,omitempty"`
	// Overlap is what it has in common with the head: exact if Verified, else an estimate; nil if
	// neither has a signature.
	Overlap *Overlap `json:"overlap,omitempty"`
	// Explanation says in words what it has in common with the head, if Options.Explain asks
	// for that. Unexplained says why there is no explanation, for example because the text is
	// not stored.
	Explanation *explain.Explanation `json:"explanation,omitempty"`
	Unexplained string               `json:"unexplained,omitempty"`
	// Visible says that the hit is also shown at its rank: see Options.Visible.
	Visible bool `json:"visible,omitempty"`
	// Hit is bleve's hit. If it is hidden, its fields are not loaded and nothing is
	// highlighted.
	Hit *search.DocumentMatch `json:"-"`
}

// Overlap is what a member and its head have in common, in shares of their distinct shingles.
type Overlap struct {
	// Resemblance is the share of all distinct shingles of the two that both have.
	Resemblance sketch.Estimate `json:"resemblance"`
	// InHead is the share of the member's shingles that the head has: 1 if the member is contained in the head.
	InHead sketch.Estimate `json:"in_head"`
	// OfHead is the share of the head's shingles that the member has.
	OfHead sketch.Estimate `json:"of_head"`
}

// Group is a head with its near-copies, in rank order.
type Group struct {
	Head    Ref      `json:"head"`
	Members []Member `json:"members,omitempty"`

	// Stands is the hit at whose rank the group stands, if Options.Head has another shown. It is
	// the first member then. Members are near-duplicates of it, or have its key; what they have
	// in common with the head is told all the same, and might be nothing.
	Stands *Ref `json:"stands,omitempty"`

	// InnerHits has what Options.InnerHits asks for, by name.
	InnerHits map[string]*InnerResult `json:"inner_hits,omitempty"`
}

// Result is a collapsed search result.
type Result struct {
	// SearchResult is bleve's, with the page's visible hits as Hits.
	*bleve.SearchResult

	// Groups has an element for each hit on the page that is a head: All says which. Its
	// members are the copies met before the end of the page. Further down there can be more,
	// unless TotalGroupsRelation is bleve.TotalRelationEq.
	Groups []Group `json:"groups"`

	// Earlier lists hits that this page met and that belong under a head of an earlier page.
	// It does not repeat what earlier pages listed. In the whole form it has the complete
	// groups of visible hits whose head is on another page.
	Earlier []Group `json:"earlier,omitempty"`

	// Complete says that Groups have all members that match, if Options.Complete asks for that. In the page form Earlier
	// is empty then. If it is false, the groups have the members that the search met, and a head by Options.Head is the
	// first of these.
	Complete bool `json:"complete,omitempty"`

	// TotalGroups is the number of groups from the first page to this one, and TotalGroupsRelation says whether these are
	// all groups, in bleve's words: bleve.TotalRelationEq or bleve.TotalRelationGte.
	TotalGroups         int    `json:"total_groups"`
	TotalGroupsRelation string `json:"total_groups_relation"`

	// Hidden is the number of hits that this search met and did not show at their rank,
	// including hits under heads of earlier pages.
	Hidden int `json:"hidden"`

	// Families says that the whole form knew the families of near-duplicates in the indexes. Otherwise it compared all
	// matches with each other, which takes longer. It does so as long as families are not found (indextype.FamiliesKey
	// says when they are), with another rule than the field's own, with Verify or By, where documents were signed with
	// different parameters, and where there is no memory for all signatures.
	Families bool `json:"families,omitempty"`

	// Unsigned is the number of hits met without a stored signature: the document has no value in the fingerprinted
	// field, or text without a token, or is of an index that Options.Missing lets in. Foreign is the number of hits met
	// whose signature was made with other parameters than the first one met, such as another seed or width, and
	// matches nothing of the first kind: backfill makes them anew.
	Unsigned int `json:"unsigned,omitempty"`
	Foreign  int `json:"foreign,omitempty"`

	// Valueless is the number of hits met without a value, by field, of the fields that Options.Within and By name.
	Valueless map[string]int `json:"valueless,omitempty"`

	// Damaged lists hits met whose stored signature cannot be read.
	Damaged []Damage `json:"damaged,omitempty"`

	// Next continues after this page. It is nil if there is nothing more.
	Next *Cursor `json:"next,omitempty"`
}

// Damage is a hit whose stored signature cannot be read. It is shown, and hides nothing.
type Damage struct {
	Ref
	// Reason is the text of Err.
	Reason string `json:"reason"`
	// Err wraps signature.ErrMalformed or signature.ErrVersion.
	Err error `json:"-"`
}
