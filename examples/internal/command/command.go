// Package command is how the programs of the examples begin: what a command line may say, and with which code a program ends.
package command

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"
)

// Run parses arguments, and does what they say. It returns the exit code: 0, 1 if something went wrong, or 2 for a
// wrong command line. The usage has a %s for the flags.
func Run(name string, args []string, stdout, stderr io.Writer, parse func(args []string) (do func() error, usage string, f *pflag.FlagSet, err error)) int {
	do, usage, flags, err := parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintf(stdout, usage, flags.FlagUsages())
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\nRun %s --help for usage.\n", name, err, name)
		return 2
	}
	if err := do(); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}

// Flags returns an empty set of flags, which prints nothing by itself, and lists flags in the order in which they are defined.
func Flags(name string) *pflag.FlagSet {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	return f
}

// None returns an error if there are arguments besides the flags.
func None(f *pflag.FlagSet) error {
	if f.NArg() > 0 {
		return fmt.Errorf("wanted flags alone, got %q", f.Args())
	}
	return nil
}
