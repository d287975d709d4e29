package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

// refill is what the command line of backfill says.
type refill struct {
	signing
	backfill.Options
	text []string
}

func (a *app) backfillCommand() *cobra.Command {
	var o refill
	c := &cobra.Command{
		Use:   "backfill FROM TO",
		Short: "Copy an index into one with signatures, or with other ones",
		Long: `Backfill copies the documents of any bleve index into an index with signatures. It rebuilds
them from their stored fields. The new mapping is FROM's, with the properties --text fingerprinted;
if FROM has signatures already, it is FROM's with the flags given here. What FROM leaves out of signatures
(see templates), its policy and its marks are carried. FROM is not changed.

After a stop at any moment, even by kill -9, the same command goes on where it was.`,
		Example: "  neardup backfill --text title,body old.bleve new.bleve",
		Args:    args("an index and a new one", 2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return a.backfill(c.Context(), args[0], args[1], o)
		},
	}
	o.add(c)
	f := c.Flags()
	f.StringSliceVar(&o.text, "text", nil, "properties to fingerprint, separated by commas")
	f.IntVar(&o.Batch, "batch", 500, "documents written at once")
	f.BoolVar(&o.Fresh, "fresh", false, "leave behind the templates, the policy and the marks of FROM, which another width or seed needs")
	f.BoolVar(&o.Lossy, "lossy", false, "go on without what FROM does not store")
	return c
}

func (a *app) backfill(ctx context.Context, from, to string, o refill) error {
	source, err := open(from, true, false)
	if err != nil {
		return err
	}
	defer source.Close()
	made := free(to)
	target, err := a.target(source, to, made, o)
	if err != nil {
		return err
	}
	bar := a.progress("backfill", -1, false)
	o.Progress = func(s backfill.Status) {
		bar.Set(int(s.Done), int(s.Total))
	}
	status, err := backfill.Run(ctx, source, target, o.Options)
	bar.End()
	return a.copied(to, made, target, status, err)
}

// target opens the index to write to, or makes it.
func (a *app) target(source bleve.Index, to string, made bool, o refill) (bleve.Index, error) {
	if made {
		if err := has(source, o.text); err != nil {
			return nil, usageError{err}
		}
		m, err := remap(source.Mapping(), a.field, o)
		if names, ferr := fieldNames(source); errors.Is(err, errText) && ferr == nil {
			err = usageError{fmt.Errorf("%w: the fields of the index are %q", err, names)}
		}
		if err != nil {
			return nil, err
		}
		return plugin.New(to, m)
	}
	target, err := open(to, false, true)
	if err != nil {
		return nil, err
	}
	if err := o.fits(target.Mapping(), a.field); err != nil {
		target.Close()
		return nil, fmt.Errorf("%s: %w", to, err)
	}
	return target, nil
}

// has returns an error if no document of an index has a property of one of these names, nor its mapping knows it.
func has(x bleve.Index, properties []string) error {
	names, err := x.Fields()
	if err != nil {
		return err
	}
	m, ok := x.Mapping().(*mapping.IndexMappingImpl)
	for _, name := range properties {
		known := slices.Contains(names, name)
		if ok {
			for _, dm := range types(m) {
				known = known || dm.Properties[name] != nil
			}
		}
		if known {
			continue
		}
		if names, err = fieldNames(x); err != nil {
			return err
		}
		return fmt.Errorf("--text: wanted fields of the index, some of %q, got %q", names, name)
	}
	return nil
}

// errText: nothing says which texts are to be signed.
var errText = errors.New("--text: wanted the properties to compare, such as body, as the mapping fingerprints none yet, got none")

// remap returns a mapping with signatures as o asks for.
func remap(from mapping.IndexMapping, field string, o refill) (*mapping.IndexMappingImpl, error) {
	data, err := json.Marshal(from)
	if err != nil {
		return nil, err
	}
	m := bleve.NewIndexMapping()
	if err := json.Unmarshal(data, m); err != nil {
		return nil, err
	}
	signed := neardup.Fingerprints(m)
	switch {
	case !signed && len(o.text) == 0:
		return nil, errText
	case signed && len(o.text) > 0:
		return nil, usageError{fmt.Errorf("--text: cannot add %q, as the mapping fingerprints properties already", o.text)}
	case !signed || o.changed():
		changed, err := o.config()
		if err != nil {
			return nil, err
		}
		configs := m.CustomAnalysis.Analyzers
		for _, config := range configs { // keep what no flag names, such as char filters
			if config["type"] == neardup.Name {
				maps.Copy(config, changed)
			}
		}
		if configs[signatureAnalyzer] == nil {
			if err := o.set(m); err != nil {
				return nil, err
			}
		}
	}
	for _, dm := range types(m) {
		plugin.AddSignature(dm, o.text...)
		if !signed || o.changed() {
			rename(dm, field)
		}
	}
	// The analyzers were made of the configurations as they were: make them anew.
	if data, err = json.Marshal(m); err != nil {
		return nil, err
	}
	m = bleve.NewIndexMapping()
	return m, json.Unmarshal(data, m)
}

// types are the mappings of documents, the default among them.
func types(m *mapping.IndexMappingImpl) []*mapping.DocumentMapping {
	return append(slices.Collect(maps.Values(m.TypeMapping)), m.DefaultMapping)
}

// rename gives fields of the plain analyzer neardup the one of signatures; those that
// plugin.AddSignature added get their name, too.
func rename(dm *mapping.DocumentMapping, field string) {
	for _, p := range dm.Properties {
		for _, f := range p.Fields {
			if f.Analyzer == neardup.Name {
				f.Analyzer = signatureAnalyzer
				if f.Name == plugin.Field {
					f.Name = field
				}
			}
		}
		rename(p, field)
	}
}
