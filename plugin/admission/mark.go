package admission

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/ids"
)

// Label says what a mark makes of its near-duplicates.
type Label string

// The labels. Their JSON names are their values.
const (
	Spam   Label = "spam"   // Policy.Known is what becomes of them
	Wanted Label = "wanted" // they are accepted, even if they are near spam as well
)

// Mark is a text that is known to be spam, or to be wanted. It is kept in the index,
// and stays when the document that it was made from is deleted. In JSON a name or a scope
// that is not UTF-8 is as an id is in a Verdict.
type Mark struct {
	// Name identifies the mark; a later mark of the same name takes its place. It is any
	// bytes, at most 32,755 of them.
	Name  string `json:"name"`
	Label Label  `json:"label"`

	// Scope has the terms of Policy.Scope of the documents that the mark is for; with
	// none it is for all scopes.
	Scope []string `json:"scope,omitempty"`

	// Signature is that of the text.
	Signature *signature.Signature `json:"signature"`

	// Expires is when the mark ends; never if zero.
	Expires time.Time `json:"expires,omitzero"`
}

// maxName is how long a mark's name can be: bleve keeps it, behind a prefix of 13 bytes, in a
// key of bbolt's, which has 32,768 bytes at most.
const maxName = 32<<10 - 13

// markJSON hides the members of a Mark that have the same names, and are any bytes.
type markJSON struct {
	Name ids.ID `json:"name"`
	*plainMark
	Scope []ids.ID `json:"scope,omitempty"`
}

type plainMark Mark

// MarshalJSON implements json.Marshaler.
func (m Mark) MarshalJSON() ([]byte, error) {
	return ids.Marshal(markJSON{ids.ID(m.Name), (*plainMark)(&m), ids.Of(m.Scope)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Mark) UnmarshalJSON(data []byte) error {
	read := markJSON{plainMark: new(plainMark)}
	err := json.Unmarshal(data, &read)
	*m = Mark(*read.plainMark)
	m.Name, m.Scope = string(read.Name), ids.Strings(read.Scope)
	return err
}

// Validate returns an error that names what is wrong.
func (m *Mark) Validate() error {
	switch {
	case len(m.Name) > maxName:
		return fmt.Errorf("admission: mark: wanted a name of at most %d bytes, got %d", maxName, len(m.Name))
	case m.Name == "":
		return fmt.Errorf("admission: mark: wanted a name, got none")
	case m.Label != Spam && m.Label != Wanted:
		return fmt.Errorf("admission: mark %q: label: wanted %q or %q, got %q", m.Name, Spam, Wanted, m.Label)
	case m.Signature == nil || m.Signature.Tokens == 0:
		return fmt.Errorf("admission: mark %q: wanted a text of one token or more, got none", m.Name)
	}
	return nil
}
