package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// document is a line of the intake.
type document struct {
	ID     string
	Text   *string
	Tenant string
	Date   time.Time
	Label  string // for replays
}

// fields are those that the index gets.
func (d document) fields() map[string]any {
	data := map[string]any{"text": *d.Text}
	if d.Tenant != "" {
		data["tenant"] = d.Tenant
	}
	if !d.Date.IsZero() {
		data["date"] = d.Date.Format(time.RFC3339Nano)
	}
	return data
}

// decode reads a document from a line.
func (g *gate) decode(line []byte) (document, error) {
	var in struct {
		ID     ident     `json:"id"`
		Text   *string   `json:"text"`
		Tenant string    `json:"tenant"`
		Date   time.Time `json:"date"`
		Label  string    `json:"label"`
	}
	err := object(line, &in)
	d := document{string(in.ID), in.Text, in.Tenant, in.Date, in.Label}
	badTime := (*time.ParseError)(nil)
	switch {
	case errors.As(err, &badTime):
		return d, fmt.Errorf("date: wanted one like 2026-03-02T09:15:00Z, got %.40s", badTime.Value)
	case err != nil:
		return d, err
	case d.Text == nil:
		return d, errors.New("text: wanted a string, got none")
	case d.ID == "" || !plain(d.ID):
		return d, fmt.Errorf("id: wanted 1 to %d bytes without control characters, got %.40q", longestName, d.ID)
	case !plain(d.Tenant):
		return d, fmt.Errorf("tenant: wanted up to %d bytes without control characters, got %.40q", longestName, d.Tenant)
	case d.Label != "" && d.Label != "spam" && d.Label != "ham":
		return d, fmt.Errorf(`label: wanted "spam" or "ham", got %.40q`, d.Label)
	}
	return d, g.allows(d.Tenant)
}

// longestName is the greatest length of ids, tenants and names of marks.
const longestName = 500

func plain(s string) bool {
	return len(s) <= longestName && !strings.ContainsFunc(s, unicode.IsControl)
}

// key is the id in the index. Each tenant has ids of its own, or one could overwrite
// the documents of another.
func key(tenant, id string) string { return tenant + "\x00" + id }

// gate is an index and what was judged since the start.
type gate struct {
	index  bleve.Index
	inner  *indextype.Index // of index
	policy *admission.Policy
	since  time.Time

	mu     sync.Mutex
	counts counts
	recent []*judged         // the last ones, the newest last
	texts  map[string]string // of marks, by name
}

// counts are of documents.
type counts struct {
	Judged   int            `json:"judged"`
	Errors   int            `json:"errors"`
	Actions  map[string]int `json:"actions"`
	Policies map[string]int `json:"policies"`
}

// judged is a verdict as the status page shows it.
type judged struct {
	Number   int // of all documents, in the order of their verdicts
	At       time.Time
	document document
	both     func() (*pair, error) // gate.pair, when it is called first
	admission.Verdict
}

// mostRecent is how many verdicts the status page shows. Their texts are in memory.
const mostRecent = 50

// newMapping fingerprints the text. It is stored as well, so that what was taken in can
// be read again.
func newMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	tenant := bleve.NewTextFieldMapping()
	tenant.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("tenant", tenant)
	m.DefaultMapping.AddFieldMappingsAt("date", bleve.NewDateTimeFieldMapping())
	plugin.AddSignature(m.DefaultMapping, "text")
	return m
}

// openGate opens the index at path, or makes one, in memory if path is "".
func openGate(path, policy string) (*gate, error) {
	p, err := readPolicy(policy)
	if err != nil {
		return nil, err
	}
	g := &gate{policy: p, texts: map[string]string{}, since: time.Now()}
	g.counts = counts{Actions: map[string]int{}, Policies: map[string]int{}}
	if _, err := os.Stat(path); path != "" && err == nil {
		g.index, err = plugin.Open(path)
		if err != nil {
			return nil, err
		}
	} else if g.index, err = plugin.New(path, newMapping()); err != nil {
		return nil, err
	}
	if g.inner, err = plugin.Of(g.index); err == nil {
		err = g.inner.SetPolicy(context.Background(), p)
	}
	if err != nil {
		return nil, errors.Join(err, g.index.Close())
	}
	return g, nil
}

func (g *gate) policyText() string {
	text, err := json.Marshal(g.policy)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// submit writes a document, unless the policy rejects it, and returns what became of
// it, with ids as its tenant knows them.
func (g *gate) submit(ctx context.Context, d document) (admission.Verdict, error) {
	v, err := plugin.Submit(ctx, g.index, key(d.Tenant, d.ID), d.fields())
	if err != nil {
		return v, err
	}
	v.ID = d.ID
	v.Of = strings.TrimPrefix(v.Of, key(d.Tenant, ""))
	for i := range v.Replaced {
		v.Replaced[i] = strings.TrimPrefix(v.Replaced[i], key(d.Tenant, ""))
	}
	g.count(d, v)
	return v, nil
}

func (g *gate) failed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counts.Errors++
}

// errors is how many lines failed.
func (g *gate) errors() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.counts.Errors
}

func (g *gate) count(d document, v admission.Verdict) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counts.Judged++
	g.counts.Actions[string(v.Action)]++
	if v.Policy != "" {
		g.counts.Policies[v.Policy]++
	}
	j := &judged{Number: g.counts.Judged, At: time.Now(), document: d, Verdict: v}
	j.both = sync.OnceValues(func() (*pair, error) { return g.pair(j) })
	if g.recent = append(g.recent, j); len(g.recent) > mostRecent {
		g.recent = slices.Delete(g.recent, 0, 1)
	}
}

// verdict is one of the last verdicts, by its number, nil if it is none of these.
func (g *gate) verdict(number int) *judged {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, j := range g.recent {
		if j.Number == number {
			return j
		}
	}
	return nil
}

// start80 is the start of a text, on one line.
func start80(text string) string {
	words := strings.Join(strings.Fields(text[:min(len(text), 400)]), " ")
	if runes := []rune(words); len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return strings.ToValidUTF8(words, "")
}

// latest returns the counts, and the last verdicts, newest first.
func (g *gate) latest() (counts, []*judged) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.counts
	c.Actions, c.Policies = maps.Clone(c.Actions), maps.Clone(c.Policies)
	last := slices.Clone(g.recent)
	slices.Reverse(last)
	return c, last
}

var errNotFound = errors.New("not found")

// mark marks a text or a document.
func (g *gate) mark(ctx context.Context, body []byte) error {
	var m struct {
		Name    string          `json:"name"`
		Label   admission.Label `json:"label"`
		Scope   []string        `json:"scope"` // tenants: documents of one of them; all if empty
		Expires time.Time       `json:"expires"`
		Insist  bool            `json:"insist"` // stop also what is like mails that were let in

		// The text itself, or a document that has it.
		Text   string `json:"text"`
		Tenant string `json:"tenant"`
		ID     ident  `json:"id"`
	}
	err := object(body, &m)
	badTime := (*time.ParseError)(nil)
	switch {
	case errors.As(err, &badTime):
		return fmt.Errorf("expires: wanted a time like 2026-03-02T09:15:00Z, got %.40s", badTime.Value)
	case err != nil:
		return fmt.Errorf("mark: %w", err)
	case m.Name == "" || !plain(m.Name):
		return fmt.Errorf("name: wanted 1 to %d bytes without control characters, got %.40q", longestName, m.Name)
	case (m.Text == "") == (m.ID == ""):
		return errors.New("mark: needs either a text or an id, not both")
	case len(m.Scope) > 1:
		return fmt.Errorf("scope: wanted one tenant, or none for all, got %d", len(m.Scope))
	}
	for _, tenant := range append(m.Scope, m.Tenant) {
		if err := g.allows(tenant); err != nil {
			return err
		}
	}
	mark := admission.Mark{Name: m.Name, Label: m.Label, Scope: m.Scope, Expires: m.Expires}
	text := m.Text
	if m.Text != "" {
		mark.Signature, err = plugin.Sign(g.index, g.policy.Field, m.Text)
	} else if mark.Signature, err = g.signature(m.Tenant, string(m.ID)); err == nil {
		text, err = g.textOf(key(m.Tenant, string(m.ID)))
	}
	if err != nil {
		return err
	}
	return g.setMark(ctx, mark, text, m.Insist)
}

// setMark keeps a mark of a text. It is strict if it would have stopped mails that were let in, unless somebody insists.
func (g *gate) setMark(ctx context.Context, m admission.Mark, text string, insist bool) error {
	touched, err := g.inner.Touches(ctx, m)
	m.Strict = err == nil && len(touched[0]) > 0 && !insist
	if err = cmp.Or(err, ctx.Err()); err == nil {
		err = g.inner.SetMark(ctx, m)
	}
	if err != nil {
		return err
	}
	g.keepText(m.Name, text)
	return nil
}

// markName names the mark that is made of a document by one click, or by the operator of a replay.
func markName(tenant, id string) string {
	if tenant == "" {
		return id
	}
	return tenant + "/" + id
}

// markVerdict marks the text of one of the last verdicts, for its own tenant. If the mark would have stopped mails that
// were let in, it asks first; sure is the answer: "copies" alone, or "all".
func (g *gate) markVerdict(ctx context.Context, number int, label admission.Label, sure string) (*question, error) {
	j := g.verdict(number)
	if j == nil {
		return nil, fmt.Errorf("verdict: wanted one of the last %d, got %d: %w", mostRecent, number, errNotFound)
	}
	d := j.document
	m := admission.Mark{Name: markName(d.Tenant, d.ID), Label: label}
	if d.Tenant != "" {
		m.Scope = []string{d.Tenant}
	}
	var err error
	if m.Signature, err = plugin.Sign(g.index, g.policy.Field, *d.Text); err != nil {
		return nil, err
	}
	if sure == "" {
		touched, err := g.inner.Touches(ctx, m)
		if err != nil {
			return nil, err
		}
		if len(touched[0]) > 0 {
			return &question{number, d.ID, touched[0]}, nil
		}
	}
	return nil, g.setMark(ctx, m, *d.Text, sure == "all")
}

// allows returns an error for a tenant under a policy that knows none: it would compare
// documents of all.
func (g *gate) allows(tenant string) error {
	if tenant != "" && g.policy.Scope == "" {
		return fmt.Errorf(`tenant: a policy without a scope cannot have any ("scope": "tenant" keeps tenants apart), got %.40q`, tenant)
	}
	return nil
}

// signature is that of a document.
func (g *gate) signature(tenant, id string) (*signature.Signature, error) {
	doc, err := g.index.Document(key(tenant, id))
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return nil, fmt.Errorf("id: wanted a document of tenant %q, got %q: %w", tenant, id, errNotFound)
	}
	return plugin.SignatureOf(g.index, g.policy.Field, key(tenant, id))
}
