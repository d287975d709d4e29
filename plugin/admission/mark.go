package admission

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Label says what happens to near-duplicates of a mark.
type Label string

// The labels. Their JSON names are their values.
const (
	Spam   Label = "spam"   // Policy.Known says what happens to them
	Wanted Label = "wanted" // they are accepted, even if they are also near-duplicates of spam
)

// Mark is a text that is known to be spam, or to be wanted. The index keeps it, also after the
// document from which it was made is deleted.
type Mark struct {
	// Name identifies the mark, in at most 32,755 bytes of UTF-8. A later mark with the same name replaces it.
	Name  string `json:"name"`
	Label Label  `json:"label"`

	// Strict says that near-duplicates by Policy.Rule alone are like the mark, and not what Policy.KnownRule takes.
	// Index.MarkText and MarkDocument set it for a mark that would have stopped what was accepted: see Index.Touches.
	Strict bool `json:"strict,omitempty"`

	// Scope limits the mark to documents with these terms in the field Policy.Scope. Without
	// terms the mark is for all scopes.
	Scope []string `json:"scope,omitempty"`

	// Signature is the signature of the text.
	Signature *signature.Signature `json:"signature"`

	// Expires is when the mark expires, never if zero.
	Expires time.Time `json:"expires,omitzero"`

	// Idle is how long the mark can be unused before it expires, forever if zero. In JSON it is
	// a string like "720h".
	Idle time.Duration `json:"-"`

	// Marked is when the mark was set. Index.SetMark of package indextype sets it if it is zero.
	Marked time.Time `json:"marked,omitzero"`

	// Used is how many documents the mark has decided, and LastUsed is when it did so last: those
	// that Policy.Known stopped or tagged, or would have without Policy.Shadow, and those that were
	// accepted as wanted. Setting a mark of the same name again replaces both by what it says.
	// The index keeps them at most once a minute, and when it is closed: a crash loses the uses
	// since then.
	Used     uint64    `json:"used,omitempty"`
	LastUsed time.Time `json:"last_used,omitzero"`
}

// Since returns since when the mark was not used: LastUsed, or Marked if it never was.
func (m *Mark) Since() time.Time {
	if m.LastUsed.After(m.Marked) {
		return m.LastUsed
	}
	return m.Marked
}

// maxName is the greatest length of a mark's name.
const maxName = 32<<10 - 13

// markJSON hides Mark.Idle.
type markJSON struct {
	*plainMark
	Idle string `json:"idle,omitempty"`
}

type plainMark Mark

// MarshalJSON implements json.Marshaler.
func (m Mark) MarshalJSON() ([]byte, error) {
	idle := ""
	if m.Idle != 0 {
		idle = m.Idle.String()
	}
	return strict.Marshal(markJSON{(*plainMark)(&m), idle})
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Mark) UnmarshalJSON(data []byte) error {
	read := markJSON{plainMark: new(plainMark)}
	err := json.Unmarshal(data, &read)
	*m = Mark(*read.plainMark)
	if err == nil && read.Idle != "" {
		if m.Idle, err = time.ParseDuration(read.Idle); err != nil {
			err = fmt.Errorf("admission: mark %q: idle: %w", m.Name, err)
		}
	}
	return err
}

// Validate returns an error that names what is wrong.
func (m *Mark) Validate() error {
	switch {
	case len(m.Name) > maxName:
		return fmt.Errorf("admission: mark: wanted a name of at most %d bytes, got %d", maxName, len(m.Name))
	case m.Name == "":
		return fmt.Errorf("admission: mark: wanted a name, got none")
	case !utf8.ValidString(m.Name):
		return fmt.Errorf("admission: mark: wanted a name in UTF-8, got %q", m.Name)
	case slices.ContainsFunc(m.Scope, func(s string) bool { return !utf8.ValidString(s) }):
		return fmt.Errorf("admission: mark %q: scope: wanted values in UTF-8, got %q", m.Name, m.Scope)
	case m.Label != Spam && m.Label != Wanted:
		return fmt.Errorf("admission: mark %q: label: wanted %q or %q, got %q", m.Name, Spam, Wanted, m.Label)
	case m.Idle < 0:
		return fmt.Errorf("admission: mark %q: idle: wanted 0 or more, got %v", m.Name, m.Idle)
	case m.Signature == nil || m.Signature.Tokens == 0:
		return fmt.Errorf("admission: mark %q: wanted a text of one token or more, got none", m.Name)
	}
	return nil
}
