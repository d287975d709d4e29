package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// read returns the corpora: those that come with the project, or the chosen ones of them, and those of the user.
func (o options) read() (all []corpus, err error) {
	for _, name := range o.corpora {
		if !slices.Contains(shippedNames, name) {
			return nil, fmt.Errorf("--corpus: wanted one of %s, got %q", strings.Join(shippedNames, ", "), name)
		}
	}
	if o.corpora == nil || len(o.corpora) > 0 {
		if all, err = shippedCorpora(); err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(c corpus) bool { return o.corpora != nil && !slices.Contains(o.corpora, c.name) })
	}
	names := slices.Clone(shippedNames)
	for _, path := range o.data {
		name := strings.TrimSuffix(filepath.Base(path), ".gz")
		c := corpus{name: strings.TrimSuffix(name, filepath.Ext(name)), about: "Documents of " + filepath.Base(path)}
		if slices.Contains(names, c.name) {
			return nil, fmt.Errorf("--data: wanted a new name, got a second %q", c.name)
		}
		names = append(names, c.name)
		for d, err := range o.source.Read(path) {
			if err != nil {
				return nil, err
			}
			label, _ := d.Fields[o.label].(string)
			c.docs = append(c.docs, document{ID: d.ID, Text: strings.Join(d.Values, "\n"), label: label})
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, errors.New("wanted a corpus, got none")
	}
	for _, c := range all {
		if len(c.docs) == 0 {
			return nil, fmt.Errorf("%s: wanted documents, got none", c.name)
		}
	}
	return all, nil
}
