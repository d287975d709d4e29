// Package templates finds what many documents of an index share (menus, footers of mails, headers
// of files) and leaves it out of signatures. Different pages of one site then no longer resemble
// each other, and one text on two sites resembles itself. It works for plain text, and for HTML
// whose markup does not say what is a menu.
//
//	found, err := templates.Learn(ctx, index, templates.Options{Scope: "site"})
//	... // look at the passages in found.Scopes; remove scopes that are wrong, and take passages out by Without
//	marked, err := templates.Use(ctx, index, found)
//
// Nothing is left out before Use is called, nor after Drop.
//
// # Scopes
//
// Documents share text within a site, a sender or a feed. The scope of a document is the value, byte for byte, of the
// text field that Options.Scope names. A document without a value there, or with several different values, has the
// scope "". If Options.Scope is empty, all documents have the scope "". Options.Scope can ask for the host of a URL or
// the domain of a mail address: "domain:url". Without scopes the templates of all sites are learned together. A
// document is signed without the template of its scope. If its scope has no template, it is signed without the template
// of the scope "".
//
// A query text (plugin.Sign, near.SimilarQuery) is signed like a document of the scope "", unless the
// caller names another scope: plugin.SignScoped, Query.TextScope.
//
// # Old signatures and new ones
//
// Use and Drop change no document. They affect documents that are written later. A document that
// was signed earlier is signed again when it is next written, or by package plugin/backfill, which
// carries templates to a new index. Old and new signatures have the same parameters and can be
// compared: each stands for the text from which it was made, with its template or without. A text
// without a template has the same signature either way. But two copies of a page with a large
// template do not fold if one was signed before Use and one after. So sign the documents of a scope
// again soon after its template changes. The command "neardup check" counts the documents that were
// signed before, and neardup_templates in StatsMap names the templates in force.
//
// A document that consists of its template alone is signed whole. Package collapse/explain and
// lookups compare what remains.
//
// # Marks
//
// Who writes ten documents that differ, or a tenth of a scope, can have what they share learned as a template. So Learn
// takes out what a text has that is marked as spam (package plugin/admission), and names the mark in Templates.Marked. Use returns
// the passages that are of a mark now. A mark is compared with a document's text as it is, and with what the template leaves of it: so marks
// that were set before Use go on working. A mark that is set afterwards is of what the template leaves of its text.
// Signatures alone are kept of marks, so a passage of less than an eighth of a mark's text may pass for another text.
//
// # Limits
//
// The templates of one scope take at most 1.1 MB, and all templates of a field at most 4 MB: bleve
// writes them each time that it persists the index. Fields with the fingerprint "xxhash64" or with
// letters cannot use templates. All shards of one index must use the same templates; shards.Set
// checks that. Nodes of plugin/cluster use none.
package templates

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/strict"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// Templates are what is left out of the signatures of a field, by scope.
type Templates struct {
	// Field is the fingerprinted field, signature.DefaultField if empty.
	Field string `json:"field"`

	// ScopeField is the text field whose value is the scope of a document, as Options.Scope; if empty, all
	// documents have the scope "".
	ScopeField string `json:"scope_field,omitempty"`

	// Scopes are the scopes that have a template, by name. Remove those that are wrong before Use. Without takes a passage out.
	Scopes []Scope `json:"scopes"`

	// Marked are the passages that Learn took out of the templates, since they are of a text that is marked as spam.
	Marked []Marked `json:"marked,omitempty"`

	// Sampled is how many documents Learn has read. Unread is how many of them did not count,
	// because the text of their signature is not in stored fields.
	Sampled uint64 `json:"sampled,omitempty"`
	Unread  uint64 `json:"unread,omitempty"`

	// Without is how many scopes were found without a template, or with too few documents.
	Without int `json:"scopes_without,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (t *Templates) UnmarshalJSON(data []byte) error {
	type plain Templates
	return strict.Fill("templates", data, (*plain)(t))
}

// Scope is what is left out of the documents of one scope. Only Name and Set are kept with an
// index; the other members are for people.
type Scope struct {
	Name string `json:"name"`

	// Documents is the number of different documents that were read, and Copies the number of
	// further documents with the same tokens as one of them.
	Documents uint64 `json:"documents,omitempty"`
	Copies    uint64 `json:"copies,omitempty"`

	// Least is the least number of documents in which a shingle of the template stands.
	Least uint64 `json:"least,omitempty"`

	// Shingles is how many shingles do, at most template.MaxShingles.
	Shingles int `json:"shingles"`

	// Unfit is in how many documents a passage that might be of a template found no place. It stays in signatures: learn
	// by scopes, or from a smaller sample.
	Unfit uint64 `json:"unfit,omitempty"`

	// LeftOut is the share of the words, of some of the documents, that Set leaves out: 0 to 1.
	LeftOut float64 `json:"left_out,omitempty"`

	// Passages are what is left out, as some of the documents have it, the most frequent first: each shingle once, so that
	// a passage might begin or end within another.
	Passages []Passage `json:"passages,omitempty"`

	// Set is what is left out; in JSON, its stored form in base64.
	Set *template.Set `json:"set"`
}

// Passage is what is left out in one place of a document.
type Passage struct {
	// Text is the passage, after char filters.
	Text string `json:"text"`

	// Words is how many it has, and Documents in how many documents of the scope it stands.
	Words     int    `json:"words"`
	Documents uint64 `json:"documents"`
}

// Marked is a passage of a template that a mark of spam has, or most of whose mark stands in it.
type Marked struct {
	Scope string `json:"scope"`
	Mark  string `json:"mark"`
	Passage
}

// Use leaves t out of later signatures of x, an index of type neardup, and keeps t with the index.
// It replaces earlier templates of the same field. Writes that have begun are signed as before;
// Use waits for them. If ctx ends first, it returns the error of ctx.
//
// It returns the passages of t that are of a text that x has marked as spam, which Learn would have taken out: if the
// mark came later, or was set in another index. They are left out all the same. A template might be what a spammer
// wrote, so look at them. It knows them by Scope.Passages, so it finds none in what InUse returned.
//
// Use returns an error and changes nothing if t has no scope (call Drop to leave nothing out), if a
// scope comes twice, if x does not fingerprint the field, if t was learned with other parameters
// than the field has, or if t cannot be kept. Templates learned from one index can be used in
// another.
func Use(ctx context.Context, x bleve.Index, t *Templates) (marked []Marked, err error) {
	if t == nil {
		return nil, errors.New("templates: wanted templates, got nil")
	}
	if len(t.Scopes) == 0 {
		return nil, errors.New("templates: wanted a scope that has a template, got none: Drop leaves nothing out")
	}
	sets := map[string]*template.Set{}
	for _, s := range t.Scopes {
		if sets[s.Name] != nil || s.Set == nil {
			return nil, fmt.Errorf("templates: scope %q: wanted one set, got none or several", s.Name)
		}
		sets[s.Name] = s.Set
	}
	own, err := template.NewSets(t.ScopeField, sets)
	if err != nil {
		return nil, err
	}
	n, err := inner(ctx, x)
	if err != nil {
		return nil, err
	}
	field := cmp.Or(t.Field, signature.DefaultField)
	if err := n.SetTemplates(ctx, field, own); err != nil {
		return nil, err
	}
	a, err := neardup.Of(x.Mapping(), field)
	if err != nil {
		return nil, err
	}
	for _, s := range t.Scopes {
		for _, p := range s.Passages {
			sig := a.SignText([]byte(p.Text))
			mark, err := n.MarkOf(&sig)
			if err != nil {
				return nil, err
			}
			if mark != "" {
				marked = append(marked, Marked{s.Name, mark, p})
			}
		}
	}
	return marked, nil
}

// Without takes a passage out of the templates of all scopes of t, so that it stays in signatures of x, and returns how many scopes had
// some of it. text is the passage after char filters, as Scope.Passages has it. Call Use then: t can be of Learn, and of InUse.
func Without(x bleve.Index, t *Templates, text string) (scopes int, err error) {
	if t == nil {
		return 0, errors.New("templates: wanted templates, got nil")
	}
	if err := indexes.Present(x); err != nil {
		return 0, fmt.Errorf("templates: %w", err)
	}
	a, err := neardup.Of(x.Mapping(), cmp.Or(t.Field, signature.DefaultField))
	if err != nil {
		return 0, err
	}
	tokens := a.HashText(nil, []byte(text))
	for i := range t.Scopes {
		s := &t.Scopes[i]
		if s.Set == nil || len(s.Set.Runs(tokens)) == 0 {
			continue
		}
		scopes++
		s.Set = s.Set.Without(tokens)
		s.Shingles = s.Set.Len()
		s.Passages = slices.DeleteFunc(slices.Clone(s.Passages), func(p Passage) bool {
			return len(s.Set.Runs(a.HashText(nil, []byte(p.Text)))) == 0
		})
	}
	t.Scopes = slices.DeleteFunc(t.Scopes, func(s Scope) bool { return s.Set != nil && s.Set.Len() == 0 })
	return scopes, nil
}

// Drop ends Use for a field of x: later signatures leave nothing out. An empty field is
// signature.DefaultField.
func Drop(ctx context.Context, x bleve.Index, field string) error {
	n, err := inner(ctx, x)
	if err != nil {
		return err
	}
	return n.SetTemplates(ctx, cmp.Or(field, signature.DefaultField), nil)
}

// inner is the index of type neardup that x is, or is an alias of.
func inner(ctx context.Context, x bleve.Index) (*indextype.Index, error) {
	if err := indexes.Check(ctx, x); err != nil {
		return nil, fmt.Errorf("templates: %w", err)
	}
	return plugin.Of(x)
}

// InUse returns what x leaves out of signatures in a field, signature.DefaultField if empty, with
// the names and sets of its scopes alone. It has no scopes if nothing is left out.
func InUse(x bleve.Index, field string) (*Templates, error) {
	n, err := inner(context.Background(), x)
	if err != nil {
		return nil, err
	}
	t := &Templates{Field: cmp.Or(field, signature.DefaultField), Scopes: []Scope{}}
	own := n.Templates()[t.Field]
	t.ScopeField = own.Scope()
	sets := own.All()
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		t.Scopes = append(t.Scopes, Scope{Name: name, Shingles: sets[name].Len(), Set: sets[name]})
	}
	return t, nil
}
