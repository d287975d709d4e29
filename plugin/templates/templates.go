// Package templates finds what many documents of an index share (menus, footers of mails, headers
// of files), and leaves it out of signatures: for different pages of one site then do not
// resemble each other, and one text resembles itself on two sites. It works for plain text, and
// for what the markup of HTML does not tell.
//
//	found, err := templates.Learn(ctx, index, templates.Options{Scope: "site"})
//	... // look at the examples in found.Scopes, and take out scopes that are wrong
//	err = templates.Use(ctx, index, found)
//
// Nothing is left out before Use is called, and nothing after Drop.
//
// # Scopes
//
// What documents share, they share within a site, a sender or a feed. The scope of a document is
// the value of a text field that Options.Scope names, byte for byte; without a value there, or
// with several that differ, it is "". A document is signed without the template of its scope. If its
// scope has none, it is signed without the template of the scope "", if that has one. If
// Options.Scope is empty, the whole index is the scope "".
//
// A query text (plugin.Sign, similar.Query) is signed as a document of the scope "", or of
// the scope that the caller names: plugin.SignScoped, Query.TextScope.
//
// # Old signatures and new ones
//
// Use and Drop change no document. What is written from then on is signed the new way; a
// document that was signed before is signed again when it is next written, or by package
// plugin/backfill, which carries templates to a new index. Signatures made before and after are of
// the same parameters and are compared like any others: each stands for the text that it was made from, with its
// template or without. A text that has no template has the same signature either way. A page that has one,
// signed once with it and once without, resembles itself the less the more of it the template is:
// copies of which one was signed before and one after do not fold. So sign the
// documents of a scope again soon after its template was changed. The command "neardup check" counts
// those that were signed before, and neardup_templates in StatsMap names what is in force.
//
// A document that is nothing but its template is signed as a whole. Package collapse/explain
// and lookups compare what remains.
//
// # Limits
//
// The templates of one scope take 32 KB at most, those of a field 4 MB, which bleve writes each time
// that it persists the index. A set is of the parameters that its field has, of any fingerprint but
// "xxhash64". All shards of one index must use the same templates, which shards.Set checks;
// nodes of plugin/cluster use none.
package templates

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// Templates are what is left out of the signatures of a field, by scope.
type Templates struct {
	// Field is the fingerprinted field, signature.DefaultField if empty.
	Field string `json:"field"`

	// ScopeField is the text field whose value is the scope of a document; if empty, all
	// documents have the scope "".
	ScopeField string `json:"scope_field,omitempty"`

	// Scopes are those that have a template, by name. A scope may be taken out before Use.
	Scopes []Scope `json:"scopes"`

	// Sampled is how many documents Learn has read, and Unread for how many of these the
	// text of their signature was not found among the stored fields: they taught nothing.
	Sampled uint64 `json:"sampled,omitempty"`
	Unread  uint64 `json:"unread,omitempty"`

	// Without is how many scopes were found without a template, or with too few documents.
	Without int `json:"scopes_without,omitempty"`
}

// Scope is what is left out of the documents of one scope. All but Name and Set is for people, and
// nothing of it is kept.
type Scope struct {
	Name string `json:"name"`

	// Documents is the number of different documents that were read, and Copies that of
	// others with the same tokens.
	Documents uint64 `json:"documents,omitempty"`
	Copies    uint64 `json:"copies,omitempty"`

	// Least is the number of documents in which each shingle of the template stands at least.
	Least uint64 `json:"least,omitempty"`

	// Shingles is how many stand in as many. Set has at most template.MaxShingles of them.
	Shingles int `json:"shingles"`

	// LeftOut is the share of the words, of some of the documents, that Set leaves out: 0 to 1.
	LeftOut float64 `json:"left_out,omitempty"`

	// Examples are passages that are left out, those that are in most documents first.
	Examples []Example `json:"examples,omitempty"`

	// Set is what is left out; in JSON, its stored form in base64.
	Set *template.Set `json:"set"`
}

// Example is a passage that is left out.
type Example struct {
	// Text is the passage, after char filters, cut off after 200 bytes.
	Text string `json:"text"`

	// Words is how many it has, and Documents in how many documents of the scope it stands.
	Words     int    `json:"words"`
	Documents uint64 `json:"documents"`
}

// Use leaves t out of the signatures of x, an index of type neardup, from now on, and keeps it
// with the index, in place of what was left out before of the same field. Writes that have begun
// are signed as before; Use waits for them. It returns the error of ctx if that is done first.
//
// It returns an error, and changes nothing, if t has no scope (Drop leaves nothing out), if a scope
// comes twice, if x does not fingerprint the field or signs it with other parameters than t was learned
// with, or if t cannot be kept. Templates that were learned from one index may be used in another.
func Use(ctx context.Context, x bleve.Index, t *Templates) error {
	if t == nil {
		return errors.New("templates: wanted templates, got nil")
	}
	if len(t.Scopes) == 0 {
		return errors.New("templates: wanted a scope that has a template, got none: Drop leaves nothing out")
	}
	sets := map[string]*template.Set{}
	for _, s := range t.Scopes {
		if sets[s.Name] != nil || s.Set == nil {
			return fmt.Errorf("templates: scope %q: wanted one set, got none or several", s.Name)
		}
		sets[s.Name] = s.Set
	}
	return set(ctx, x, t.Field, t.ScopeField, sets)
}

// Drop leaves nothing out of the signatures of x in that field, from now on: it ends Use. An empty
// field is signature.DefaultField.
func Drop(ctx context.Context, x bleve.Index, field string) error { return set(ctx, x, field, "", nil) }

func set(ctx context.Context, x bleve.Index, field, scope string, sets map[string]*template.Set) error {
	n, err := inner(ctx, x)
	if err != nil {
		return err
	}
	return n.SetTemplates(ctx, cmp.Or(field, signature.DefaultField), scope, sets)
}

// inner is the index of type neardup that x is, or is an alias of.
func inner(ctx context.Context, x bleve.Index) (*indextype.Index, error) {
	if err := indexes.Check(ctx, x); err != nil {
		return nil, fmt.Errorf("templates: %w", err)
	}
	if _, err := x.DocCount(); err == bleve.ErrorIndexClosed { // of which Advanced says nothing
		return nil, err
	}
	in, err := x.Advanced()
	if err != nil {
		return nil, err
	}
	n, ok := in.(*indextype.Index)
	if !ok {
		return nil, fmt.Errorf("templates: %s: wanted an index of type %q, got a %T without signatures: package plugin/backfill makes one of it", x.Name(), indextype.Name, in)
	}
	return n, nil
}

// InUse returns what x leaves out of signatures in a field, signature.DefaultField if empty, with
// the names and sets of its scopes alone. It has no scopes if nothing is left out.
func InUse(x bleve.Index, field string) (*Templates, error) {
	n, err := inner(context.Background(), x)
	if err != nil {
		return nil, err
	}
	t := &Templates{Field: cmp.Or(field, signature.DefaultField), Scopes: []Scope{}}
	var sets map[string]*template.Set
	t.ScopeField, sets = n.Templates(t.Field)
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		t.Scopes = append(t.Scopes, Scope{Name: name, Shingles: sets[name].Len(), Set: sets[name]})
	}
	return t, nil
}
