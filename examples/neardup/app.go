package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/examples/internal/terminal"
)

// errFinding ends a command that worked and found what exit code 1 stands for. It is
// not printed.
var errFinding = errors.New("finding")

// usageError is an error of the command line.
type usageError struct{ error }

// app has what is common to all commands.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	json, quiet    bool
	field          string
}

// args makes an error of wrong arguments a usageError that says what was wanted.
func args(want string, least, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, got []string) error {
		if len(got) < least || most >= 0 && len(got) > most {
			return usageError{fmt.Errorf("wanted %s, got %q", want, got)}
		}
		return nil
	}
}

// family is a command that has commands and does nothing by itself.
func family(name, short string, members ...*cobra.Command) *cobra.Command {
	var names []string
	for _, m := range members {
		names = append(names, m.Name())
	}
	c := &cobra.Command{
		Use:   name,
		Short: short,
		RunE: func(_ *cobra.Command, args []string) error {
			return usageError{fmt.Errorf("wanted one of %s, got %q", strings.Join(names, ", "), args)}
		},
	}
	c.AddCommand(members...)
	return c
}

// encode prints v as a line of JSON.
func (a *app) encode(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// encoded is encode unless there is an error.
func (a *app) encoded(v any, err error) error {
	if err != nil {
		return err
	}
	return a.encode(v)
}

// table prints rows of cells that are separated by tabs, and then a line.
func (a *app) table(rows []string, format string, args ...any) error {
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, row)
	}
	err := t.Flush()
	if err == nil && format != "" {
		_, err = fmt.Fprintf(a.stdout, format+"\n", args...)
	}
	return err
}

// progress returns a bar of so many steps, -1 if that is not known. They are bytes or
// other things.
func (a *app) progress(what string, total int64, bytes bool) terminal.Bar {
	if a.quiet {
		return terminal.Bar{}
	}
	return terminal.NewBar(a.stderr, what, total, bytes)
}

// summary prints a line for people who watch.
func (a *app) summary(format string, args ...any) {
	if !a.quiet && !a.json {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}
