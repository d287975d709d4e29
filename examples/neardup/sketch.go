package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// sketched is a document with its signature.
type sketched struct {
	ID        strict.ID            `json:"id"`
	Params    string               `json:"params"` // the Params.ID
	Tokens    uint64               `json:"tokens"`
	Shingles  uint64               `json:"shingles"`
	Exact     string               `json:"exact"`
	Simhash   string               `json:"simhash"`
	Signature *signature.Signature `json:"signature"` // the text form
}

func (a *app) sketchCommand() *cobra.Command {
	var (
		s      signing
		source documents.Source
	)
	c := &cobra.Command{
		Use:   "sketch [FILE|DIRECTORY|-]...",
		Short: "Print the stored form of the signatures of documents",
		Long: `Sketch prints a line for each document: its id, the simhash, and the signature in its text form,
as an index stores them. "neardup index --help" says what documents are.`,
		Example: "  neardup sketch draft.html notes/\n  neardup sketch --json < notes.jsonl",
		RunE: func(c *cobra.Command, args []string) error {
			source.Stdin = a.stdin
			if err := source.Validate(); err != nil {
				return usageError{err}
			}
			analyzer, err := s.analyzer()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"-"}
			}
			for d, err := range source.Read(args...) {
				if err == nil {
					err = c.Context().Err()
				}
				if err == nil {
					err = a.sketch(d.ID, sign(analyzer, d))
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	s.add(c)
	sourceFlags(c, &source)
	return c
}

func (a *app) sketch(id string, sig *signature.Signature) error {
	if a.json {
		return a.encode(sketched{
			strict.ID(id), fmt.Sprintf("%08x", sig.Params), sig.Tokens, sig.Shingles,
			fmt.Sprintf("%016x", sig.Exact), simhash.Text(sig.Simhash), sig,
		})
	}
	text, err := sig.MarshalText()
	if err == nil {
		_, err = fmt.Fprintf(a.stdout, "%s\t%s\t%s\n", plain(id), simhash.Text(sig.Simhash), text)
	}
	return err
}
