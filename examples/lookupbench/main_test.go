package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func call(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(args, &out, &errs); got != want {
		t.Fatalf("lookupbench %q: exit code %d, want %d; stderr: %s", args, got, want, errs.String())
	}
	return out.String(), errs.String()
}

// What misses nothing finds all, and each peer is measured.
func TestRun(t *testing.T) {
	stdout, _ := call(t, 0, "-n", "3000", "--lookups", "20", "--rounds", "1", "--checks", "300", "--json")
	var got []report
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Signatures != 3000 || got[0].Near < 1 || len(got[0].Rows) != 6 {
		t.Fatalf("got %+v", got)
	}
	r := got[0].Rows
	for i, x := range r {
		if exact := i < 4; exact != (x.Recall == 1) || x.Recall < .5 {
			t.Errorf("%s: recall %v", x.Name, x.Recall)
		}
		if (x.Ready > 0) != (i != 1) || x.Lookup <= 0 || (x.Disk > 0) != (i == 0 || i == 2) {
			t.Errorf("got %+v", x)
		}
	}
	if r[4].Recall != r[5].Recall {
		t.Errorf("the same bands: recall %v and %v", r[4].Recall, r[5].Recall)
	}
	if more := r[2].Disk - r[0].Disk; more < 100 || more > 700 {
		t.Errorf("terms take %.0f bytes a document", more)
	}
	if r[0].Memory < 224 || r[0].Memory > 500 {
		t.Errorf("%s: %.0f bytes a document in memory", r[0].Name, r[0].Memory)
	}
}

func TestTable(t *testing.T) {
	stdout, stderr := call(t, 0, "-n", "100,200", "--lookups", "5", "--rounds", "1", "--checks", "5", "--terms=false")
	for _, want := range []string{"100 signatures, near", "200 signatures, near", "| ekzhu/minhash-lsh, its bands for .9"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %s", want, stdout)
		}
	}
	if strings.Contains(stdout, "by terms") || !strings.Contains(stderr, "round 1 of 1") {
		t.Errorf("got %s, %s", stdout, stderr)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"--help", "Usage: lookupbench", 0},
		{"-n 5", "--signatures: wanted 100 or more, got 5", 2},
		{"--rounds 0", "--rounds: wanted 1 or more, got 0", 2},
		{"more", `wanted flags, got ["more"]`, 2},
	} {
		stdout, stderr := call(t, c.code, strings.Fields(c.args)...)
		if !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: got %q, %q, want %q", c.args, stdout, stderr, c.want)
		}
	}
}
