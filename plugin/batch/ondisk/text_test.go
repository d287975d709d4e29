package ondisk_test

import (
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func signed(docs []neartest.Doc) (all []document) {
	for _, d := range docs {
		s := signature.Of(signature.DefaultParams(), []byte(d.Text))
		all = append(all, document{d.ID, &s})
	}
	return all
}

func holdText(t *testing.T, all []document) {
	t.Helper()
	for _, by := range ways {
		j := open(t, t.TempDir(), 100, signature.Rule{}, by)
		add(t, j, all)
		r := run(t, j, 200)
		if n := hold(t, j, (signature.Rule{}), by, all); n == 0 {
			t.Error("no groups")
		}
		t.Logf("by %s: %+v", by, r)
		j.Close()
	}
}

func TestShipped(t *testing.T) {
	t.Parallel()
	holdText(t, signed(neartest.Shipped(t)))
}

func TestRealText(t *testing.T) {
	t.Parallel()
	for _, set := range []string{
		"docs-versions/docs.jsonl.gz", "licenses/spdx_npm.jsonl.gz", "licenses/project_files.jsonl.gz",
		"manpages-cjk/docs_ja.jsonl.gz", "sms-spam/docs.jsonl.gz",
	} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			most := 1000
			if testing.Short() {
				most = 300
			}
			holdText(t, signed(neartest.FirstDocs(t, set, most)))
		})
	}
}
