package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// show writes all that was measured: a table in Markdown for each number of
// signatures, or JSON.
func show(w io.Writer, all []report, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(all)
	}
	for _, r := range all {
		fmt.Fprintf(w, "%d signatures, near %.1f others each; medians of %d rounds of %d lookups with verification; %s.\n\n",
			r.Signatures, r.Near, r.Rounds, r.Lookups, r.Go)
		fmt.Fprintf(w, "| %-36s | %14s | %6s | %10s | %14s | %12s | %6s |\n", "", "open, build, s", "CPU, s", "lookup, µs", "memory, B/text", "disk, B/text", "recall")
		fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|")
		for _, x := range r.Rows {
			fmt.Fprintf(w, "| %-36s | %14s | %6s | %10.1f | %14s | %12s | %6.3f |\n",
				x.Name, some("%.2f", x.Ready), some("%.2f", x.CPU), x.Lookup, some("%.0f", x.Memory), some("%.0f", x.Disk), x.Recall)
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprint(w, `open: with the first lookup, from files that are in the system's cache. CPU, lookup: CPU time.
memory: of an index, with the signatures; of the others, without.
disk: signatures and document ids; with terms, those too.
`)
	return err
}

// some writes what is not 0.
func some(format string, x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf(format, x)
}
