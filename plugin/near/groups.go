package near

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// GroupsOptions says what the groups are. The zero GroupsOptions asks for groups of two or more
// documents by leaders and the default rule.
type GroupsOptions struct {
	// Field is the fingerprinted field, signature.DefaultField if empty.
	Field string `json:"field,omitempty"`

	// Rule says which documents are near-duplicates. Members at 0 or "" come from the field's rule,
	// which the configuration of its analyzer has, and else have their defaults: see
	// signature.Rule.Over. Indexes of an alias whose rules differ in such a member are an error.
	Rule signature.Rule `json:"rule,omitzero"`

	// Verify makes the texts decide: two documents that the sketch proposes are near-duplicates only
	// if their stored texts confirm it. Where the text of either is not stored, or is none that its
	// signature was made from, Rule decides.
	Verify signature.Verify `json:"verify,omitzero"`

	// By says how near-duplicates make groups, Leaders if empty.
	By By `json:"by,omitempty"`

	// Within names fields in which the documents of a group must be equal, for example the tenant, the
	// host or the language, as collapse.Options.Within does. A document without a value of one shares no group.
	Within []string `json:"within,omitempty"`

	// Order says which document of a group is its head, and in which order the others
	// follow: fields with doc values, "_id", or "-" and one of them, as in a search
	// request. Documents that are equal in all of them, or all if it is empty, come by
	// the number of tokens, most first, so that the head is the one that lacks least;
	// then by id.
	Order []string `json:"order,omitempty"`

	// MinSize is how many documents a group has at least, 2 if 0. With 1 documents
	// without near-duplicates are groups too.
	MinSize int `json:"min_size,omitempty"`

	// Progress, if not nil, is called with how much of the work is done. Every document counts
	// three times: when it was read, compared and listed. There are a few hundred calls, never two
	// at a time.
	Progress func(done, total int) `json:"-"`
}

// By says how near-duplicates make groups.
type By string

// The ways. Their JSON names are their values.
const (
	Leaders    By = "leaders"    // every member is within the rule of its head: the default
	Components By = "components" // every member is within the rule of some other
)

// Group is a group of near-duplicates.
type Group struct {
	Head    Document `json:"head"`
	Members []Member `json:"members"` // without the head
}

// Document is a document of an index.
type Document struct {
	// Index is the name of the document's index, empty unless an alias has several.
	Index string `json:"index,omitempty"`

	// ID is the document's id.
	ID string `json:"id"`

	// Tokens is the number of tokens of its fingerprinted text.
	Tokens uint64 `json:"tokens"`
}

// Member is a document of a group that is not the head.
type Member struct {
	Document

	// Match says how it compares with the head. By is 0 for a member of a component that is no
	// near-duplicate of the head.
	signature.Match

	// Verified says that its text and the text of the head were compared, as Options.Verify asks for.
	Verified bool `json:"verified,omitempty"`

	// Resemblance is the resemblance to the head, 0 to 1: exact if Verified, else an estimate.
	Resemblance float64 `json:"resemblance"`
}

// Groups lists the groups of an index of type neardup, or of an alias, also of aliases,
// whose indexes are all of that type and in this process; then documents of different
// indexes share groups, and each index is seen at a moment of its own.
//
// Leaders group documents as collapse groups search results: they are taken in a stated order, and each
// becomes a head unless it is a near-duplicate of an earlier head, whose member it is then. Components join
// documents that a chain of near-duplicates connects. A text and all its versions stay together even if the
// first and the last differ much; but so do different texts with a chain of others between them.
//
// Groups and their order depend on the documents alone, not on how or when they were written. The documents of a
// component, those of groups by Leaders too, come together: the largest component first, and of equally large
// ones that with the least exact hash.
//
// Each iteration works anew, on one snapshot, which stays open until it ends. It has the signatures of all documents in
// memory, 128 bytes each, at most 40 bytes more, 8 more with Within, 64 MB of texts at most with Verify, some 100 with
// Order for each document of a component, and a few hundred for each of the component in work. Near-copies take time in
// proportion to their number, not its square (see table.Connect). It ends with an error if the options are not valid,
// if an index is remote or has no signatures, if reading fails, or when ctx is done. A document without a signature, or
// whose signature cannot be read, is in no group: see Result.Damaged.
func Groups(ctx context.Context, index bleve.Index, o GroupsOptions) iter.Seq2[Group, error] {
	return func(yield func(Group, error) bool) {
		err := list(ctx, index, o, func(g Group) bool { return yield(g, nil) })
		if err != nil && !errors.Is(err, errStopped) {
			yield(Group{}, err)
		}
	}
}

// errStopped says that the caller wants no more.
var errStopped = errors.New("stopped")

// list does what Groups says.
func list(ctx context.Context, index bleve.Index, o GroupsOptions, yield func(Group) bool) (err error) {
	if err := indexes.Check(ctx, index); err != nil {
		return fmt.Errorf("near: %w", err)
	}
	if err := o.check(); err != nil {
		return fmt.Errorf("near: %w", err)
	}
	l := &lister{ctx: ctx, GroupsOptions: o, yield: yield, order: search.ParseSortOrderStrings(o.Order)}
	if err := cmp.Or(checkFields(index, "within", o.Within), checkFields(index, "order", l.order.RequiredFields())); err != nil {
		return err
	}
	if len(l.order) > 0 {
		l.keys = map[uint32][]string{}
	}
	if l.view, err = open(index, o.Field, o.Verify.On()); err != nil {
		return err
	}
	defer l.close()
	l.judge.Verify = o.Verify
	if l.judge.Rule, err = indexes.Rule(ctx, index, o.Field, o.Rule); err != nil {
		return fmt.Errorf("near: %w", err)
	}
	return l.run()
}

// check returns an error for options that cannot be met, and fills in what is left out.
func (o *GroupsOptions) check() error {
	if err := cmp.Or(o.Rule.Validate(), o.Verify.Validate(), fields.Options{Within: o.Within}.Validate()); err != nil {
		return err
	}
	if o.MinSize < 0 {
		return fmt.Errorf("min_size: wanted 1 or more, or 0 for 2, got %d", o.MinSize)
	}
	o.Field, o.By, o.MinSize = cmp.Or(o.Field, signature.DefaultField), cmp.Or(o.By, Leaders), cmp.Or(o.MinSize, 2)
	if o.By != Leaders && o.By != Components {
		return fmt.Errorf("by: wanted %q or %q, got %q", Leaders, Components, o.By)
	}
	for _, by := range o.Order {
		if field := search.ParseSearchSortString(by); field.RequiresScoring() || by == "" || slices.Contains(field.RequiresFields(), "") {
			return fmt.Errorf(`order: wanted fields or "_id", each perhaps after "-", got %q`, by)
		}
	}
	return nil
}
