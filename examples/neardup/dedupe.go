package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

// dedupe is what the command line of dedupe says.
type dedupe struct {
	signing
	documents.Source
	rule    signature.Rule
	by, dir string
	memory  int64 // MiB
	groups  string
}

func (a *app) dedupeCommand() *cobra.Command {
	var o dedupe
	c := &cobra.Command{
		Use:   "dedupe [FILE|DIRECTORY|-]...",
		Short: "Group more documents than memory holds, and list those to keep",
		Long: `Dedupe finds all groups of near-duplicates without an index, on disk, and lists the ids of the
documents to keep, one a line: the longest of each group, and all documents without a group.
"neardup index --help" says what documents are. An id that comes twice is not noticed.

--memory is at least 16, and 4.25 bytes a document. The working directory takes about 420
bytes a document and the ids. With --dir it is kept: run the same command again with the same
documents, and what was signed before a stop is not signed again. Remove the directory afterwards.`,
		Example: "  neardup dedupe crawl.jsonl.gz > keep.txt\n  neardup dedupe --dir work --memory 4096 --groups groups.jsonl crawl/*.jsonl > keep.txt",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"-"}
			}
			return a.dedupe(c.Context(), args, o)
		},
	}
	o.add(c)
	o.Source.Flags(c.Flags())
	ruleFlags(c, &o.rule)
	f := c.Flags()
	f.StringVar(&o.by, "by", string(ondisk.Leaders), "leaders (every member is a copy of its head) or components (of some other member)")
	f.StringVar(&o.dir, "dir", "", "directory to work in, kept; a temporary one if empty")
	f.Int64Var(&o.memory, "memory", ondisk.DefaultMemory>>20, "memory to use, in `MiB`")
	f.StringVar(&o.groups, "groups", "", "file for the groups, JSON lines")
	return c
}

// collected is the room that is left to the garbage collector, in bytes.
const collected = 24 << 20

func (a *app) dedupe(ctx context.Context, from []string, o dedupe) (err error) {
	o.Stdin = a.stdin
	if err := o.Validate(); err != nil {
		return usageError{err}
	}
	if o.memory < 1 || o.memory > 1<<30 {
		return usageError{fmt.Errorf("--memory: wanted 1 to %d MiB, got %d", 1<<30, o.memory)}
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "neardup-dedupe-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.dir)
	}
	analyzer, err := o.analyzer()
	if err != nil {
		return err
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(o.memory<<20 + collected))
	bar := a.progress("grouping", -1, false)
	job, err := ondisk.Open(o.dir, ondisk.Options{
		Params: analyzer.Params(), Rule: o.rule.Over(analyzer.Rule()), By: ondisk.By(o.by), Memory: o.memory << 20, Progress: bar.Set,
	})
	if err != nil {
		return usageError{err}
	}
	defer func() { err = errors.Join(err, job.Close()) }()
	if err := a.sign(ctx, job, analyzer, from, o); err != nil {
		return err
	}
	defer bar.End()
	result, err := job.Run(ctx)
	bar.End()
	if err != nil {
		return err
	}
	return a.deduped(job, result, o)
}

// sign adds what is not in the job yet.
func (a *app) sign(ctx context.Context, job *ondisk.Job, analyzer *neardup.Analyzer, from []string, o dedupe) error {
	bar := a.progress("signing", documents.Size(from...), true)
	defer bar.End()
	o.Progress = bar.Add
	have, n := job.Len(), 0
	for d, err := range o.Stream(from...) {
		if err == nil {
			err = ctx.Err()
		}
		if n++; err == nil && n > have {
			err = job.Add(d.ID, sign(analyzer, d))
		}
		if err != nil {
			return errors.Join(err, job.Commit())
		}
	}
	if n < have {
		return fmt.Errorf("%s: wanted the %d documents that it has, got %d", o.dir, have, n)
	}
	return job.Commit()
}

// deduped writes what was found.
func (a *app) deduped(job *ondisk.Job, result ondisk.Result, o dedupe) error {
	if o.groups != "" {
		err := writeTo(o.groups, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetEscapeHTML(false)
			for g, err := range job.Groups() {
				if err := errors.Join(err, e.Encode(g)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if a.json {
		return a.encode(result)
	}
	out := bufio.NewWriter(a.stdout)
	for id, err := range job.Keep() {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, plain(id))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	a.summary("%d documents: %d groups, %d to keep, %d dropped", result.Documents, result.Groups, result.Documents-result.Dropped, result.Dropped)
	return nil
}

// writeTo writes a file.
func writeTo(path string, write func(w io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<18)
	return errors.Join(write(out), out.Flush(), f.Close())
}
