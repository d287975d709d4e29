// Package mailbox searches the mail of many people, each in an index of their own.
//
// Mails are kept somewhere else: the index stores no text, and a search returns ids.
package mailbox

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// Mail is one mail.
type Mail struct {
	Subject string `json:"subject"`
	Body    string `json:"body"`
}

// Mailboxes are the mails of all people.
type Mailboxes struct {
	dir string
	of  map[string]bleve.Index
}

func newMapping() *mapping.IndexMappingImpl {
	text := bleve.NewTextFieldMapping()
	text.Store = false
	m := bleve.NewIndexMapping()
	m.DefaultMapping.AddFieldMappingsAt("subject", text)
	m.DefaultMapping.AddFieldMappingsAt("body", text)
	plugin.AddSignature(m.DefaultMapping, "body")
	return m
}

// Open opens the mailboxes in a folder.
func Open(dir string) *Mailboxes { return &Mailboxes{dir: dir, of: map[string]bleve.Index{}} }

// mailbox returns the index of a person, a new one for somebody new.
func (m *Mailboxes) mailbox(person string) (index bleve.Index, err error) {
	if index := m.of[person]; index != nil {
		return index, nil
	}
	path := filepath.Join(m.dir, person+".bleve")
	index, err = plugin.OpenOrNew(path, newMapping())
	if err == nil {
		m.of[person] = index
	}
	return index, err
}

// Close closes all mailboxes that were used.
func (m *Mailboxes) Close() (err error) {
	for _, index := range m.of {
		err = errors.Join(err, index.Close())
	}
	return err
}

// Deliver adds mails to the mailbox of a person.
func (m *Mailboxes) Deliver(person string, mails map[string]Mail) error {
	index, err := m.mailbox(person)
	if err != nil {
		return err
	}
	batch := index.NewBatch()
	for id, mail := range mails {
		if err := batch.Index(id, mail); err != nil {
			return err
		}
	}
	return index.Batch(batch)
}

// Search returns the ids on a page of results, and how many pages there are.
func (m *Mailboxes) Search(person, words string, page, size int) (ids []string, pages int, err error) {
	index, err := m.mailbox(person)
	if err != nil {
		return nil, 0, err
	}
	request := bleve.NewSearchRequestOptions(bleve.NewQueryStringQuery(words), size, page*size, false)
	result, err := collapse.Search(context.Background(), index, request, collapse.Options{Whole: true})
	if err != nil {
		return nil, 0, err
	}
	for _, hit := range result.Hits {
		ids = append(ids, hit.ID)
	}
	return ids, (int(result.Total) + size - 1) / size, nil
}
