// Package collapse folds near-copies in bleve's search results: of each group of
// near-duplicates the best-ranked hit stays, and the others are listed under it.
//
// There are only a few types in collapse: Options ask and a Result answers; its hits stand
// in Groups, each a head with its Members; a Cursor goes on to the next page; and a Query does
// the same within any search of bleve's. The other types are fields of these.
//
//	result, err := collapse.Search(ctx, index, request, collapse.Options{})
//	for hit, place := range result.All() {
//		fmt.Println(hit.ID, "and", len(place.Copies), "near-copies")
//	}
//
// There are two forms. Search makes a page: it works on any bleve.Index, one of type
// neardup (package plugin), an alias of several, or a remote one that has bleve's
// interface, since the signatures come with the hits as stored fields; and it looks at
// no more hits than the page needs. An alias of local indexes is faster if each is wrapped in
// [Part]; remote indexes of package plugin/shards do as much by themselves. The whole form,
// Options.Whole or a [Query] in any search of bleve's, groups all matches of one index first.
// [Hits] collapses hits without an index. Package serve serves it all in JSON, and package
// explain says what two copies have in common.
//
// Take the page form unless total and facets must count the collapsed set. In it
// a copy might rank so low that its head's page does not meet it: the page that does
// lists it in Result.Earlier.
//
// Signatures are there only for documents that were written to an index of type neardup, in
// the field that Options.Field names. If an index is known to have none, a Search is an error
// that says so; if documents have none, Result.Unsigned counts them, and neardup_unsigned in
// StatsMap counts what is written without.
//
// # What is promised
//
// Hits are taken in rank order. A hit is hidden if it matches, by the rule, a head
// that ranks before it; else it becomes a head itself. It is listed under the best
// such head. So every hidden hit is within the rule of its visible head: groups are
// not chains. From and Size count the hits that are shown, which are groups if no
// option says otherwise. Pages partition: with the cursor of each page, or, within the
// budget, with From or with SearchAfter and SearchBefore, no head is shown twice
// and none is left out, as long as the index stays as it is; a page that begins beyond the
// budget is an error that wraps ErrTooMany.
//
// A hit without a readable signature is never hidden, unless an option says so.
// TotalGroups says how many groups there are, and TotalGroupsRelation whether that is
// exact, in bleve's words: bleve.TotalRelationEq or bleve.TotalRelationGte. Total and facets
// are bleve's own: in the page form of all matches, in the whole form of the collapsed set.
package collapse

import (
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/collapse/explain"
)

// Ref names a document: by its id, and by the name of its index, which an alias
// needs to tell documents apart. In JSON an id that is not UTF-8 is {"base64": "..."}; so it
// is in Member and Damage, which have a MarshalJSON for that, as a struct has that embeds
// one of them.
type Ref struct {
	Index string `json:"index,omitempty"`
	ID    string `json:"id"`
}

func refOf(hit *search.DocumentMatch) Ref { return Ref{Index: hit.Index, ID: hit.ID} }

// Member is a hit that is a near-copy of a head.
type Member struct {
	Ref
	// Score is the hit's own.
	Score float64 `json:"score"`
	// Match says how it compares with the head, and which tests it passed.
	signature.Match
	// Overlap estimates what it has in common with the head; nil if neither has a
	// signature.
	Overlap *Overlap `json:"overlap,omitempty"`
	// Explanation says in words what it has in common with the head, if
	// Options.Explain asks for it; Unexplained says why there is none, such as that
	// the text is not stored.
	Explanation *explain.Explanation `json:"explanation,omitempty"`
	Unexplained string               `json:"unexplained,omitempty"`
	// Visible says that the hit is shown at its rank all the same: see
	// Options.Visible.
	Visible bool `json:"visible,omitempty"`
	// Hit is bleve's hit. Of hidden hits no field is loaded, and nothing
	// is highlighted.
	Hit *search.DocumentMatch `json:"-"`
}

// Overlap estimates what a member and its head have in common, in shares of their
// distinct shingles.
type Overlap struct {
	// Resemblance is the share of the shingles of both that each of them has.
	Resemblance resemblance.Estimate `json:"resemblance"`
	// InHead is the share of the member's shingles that the head has: 1 if the
	// member is contained in the head.
	InHead resemblance.Estimate `json:"in_head"`
	// OfHead is the share of the head's shingles that the member has.
	OfHead resemblance.Estimate `json:"of_head"`
}

// Group is a head with its near-copies, in rank order.
type Group struct {
	Head    Ref      `json:"head"`
	Members []Member `json:"members,omitempty"`

	// InnerHits has what Options.InnerHits asks for, by name.
	InnerHits map[string]*InnerResult `json:"inner_hits,omitempty"`
}

// Result is a collapsed search result.
type Result struct {
	// SearchResult is bleve's, with the page's visible hits as Hits.
	*bleve.SearchResult

	// Groups has an element for each hit on the page that is a head: All says which. Members
	// are the copies met on the way to the page's end; further down there might be more,
	// unless the relation is bleve.TotalRelationEq.
	Groups []Group `json:"groups"`

	// Earlier lists hits met on this page which belong under a head of an earlier
	// page; what the pages before met, they listed. In the whole form it has the whole
	// groups of visible hits whose head is on another page.
	Earlier []Group `json:"earlier,omitempty"`

	// TotalGroups is the number of groups seen from the first page to this one,
	// and TotalGroupsRelation whether that is all of them, in bleve's words.
	TotalGroups         int    `json:"total_groups"`
	TotalGroupsRelation string `json:"total_groups_relation"`

	// Hidden is the number of hits that this search met and did not show at their
	// rank, those under heads before the page included.
	Hidden int `json:"hidden"`

	// Unsigned is the number of hits met that have no signature stored: of documents without
	// a value in the fingerprinted field, of text that its tokenizer makes no token of, and of
	// indexes without signatures where Options.AllowUnsigned lets them in. Foreign is the
	// number of hits met whose signature was made with other parameters than the first:
	// Status then has an error that wraps ErrForeign for each index that has such hits.
	Unsigned int `json:"unsigned,omitempty"`
	Foreign  int `json:"foreign,omitempty"`

	// Damaged lists hits met whose stored signature cannot be read.
	Damaged []Damage `json:"damaged,omitempty"`

	// Next continues after this page; nil if there is nothing more.
	Next *Cursor `json:"next,omitempty"`
}

// Damage is a hit whose stored signature cannot be read. It is kept.
type Damage struct {
	Ref
	// Reason is the error's text.
	Reason string `json:"reason"`
	// Err wraps signature.ErrMalformed or signature.ErrVersion.
	Err error `json:"-"`
}
