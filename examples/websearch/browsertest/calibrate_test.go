package browsertest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "directory for pictures of the pages of calibrate")

// corpus is the manuals, from the folder of the examples.
const corpus = "docsearch/corpus/corpus.jsonl.gz"

// reports are pages that calibrate writes: of the manuals without a truth of people, of the
// manuals in groups by the name of the page, and of a handful of texts with nothing to judge.
var reports = sync.OnceValues(func() (map[string]string, error) {
	dir, err := os.MkdirTemp("", "calibrate-test-*")
	if err != nil {
		return nil, err
	}
	cleanup = append(cleanup, func() { os.RemoveAll(dir) })
	binary := filepath.Join(dir, "calibrate")
	build := exec.Command("go", "build", "-o", binary, "./calibrate")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	groups, few := filepath.Join(dir, "groups.tsv"), filepath.Join(dir, "few.jsonl")
	if err := names(groups); err != nil {
		return nil, err
	}
	var text strings.Builder
	for i := range 5 {
		fmt.Fprintf(&text, "{\"id\": \"%d%s\", \"text\": \"%s %d\"}\n", i, strings.Repeat("long", 40), strings.Repeat("x", 300), i)
	}
	if err := os.WriteFile(few, []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	pages := make(map[string]string)
	for name, args := range map[string][]string{
		"measured": {"--widths", "4", "--samples", "2", corpus}, "groups": {"--groups", groups, "--widths", "3", "--samples", "2", corpus}, "few": {few},
	} {
		page := filepath.Join(dir, name+".html")
		run := exec.Command(binary, append([]string{"--out", page}, args...)...)
		run.Dir = "../.."
		if out, err := run.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", name, err, out)
		}
		pages[name] = "file://" + page
	}
	return pages, nil
})

// names writes which page of the manuals a document is a version of.
func names(path string) error {
	f, err := os.Open("../../" + corpus)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	var text strings.Builder
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var d struct{ ID string }
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			return err
		}
		version, name, _ := strings.Cut(d.ID, "/")
		project, _, _ := strings.Cut(version, "-")
		fmt.Fprintf(&text, "%s\t%s/%s\n", d.ID, project, name)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// wider is what is wider than the screen: elements, and tables in a place that scrolls; and
// which words of tables are broken in two, but for names.
const wider = `(() => {
	document.querySelectorAll("details").forEach((d) => d.open = true);
	const all = [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility());
	const out = all.filter((e) => e.getBoundingClientRect().right > innerWidth + 1 || !e.closest("svg") && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && getComputedStyle(e).display !== "inline");
	const broken = [];
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
	while (walk.nextNode()) {
		const text = walk.currentNode;
		if (!text.parentElement.closest("td, th") || !text.parentElement.checkVisibility()) continue;
		for (const word of text.data.matchAll(/\S+/g)) {
			range.setStart(text, word.index);
			range.setEnd(text, word.index + word[0].length);
			if (new Set([...range.getClientRects()].map((r) => r.top)).size > 1) broken.push(word[0] + " is broken in two");
		}
	}
	return broken.concat(out.map((e) => e.tagName + "." + (e.getAttribute("class") ?? "") + " " + e.textContent.trim().slice(0, 60)));
})()`

// shoot takes a picture of a whole page.
func (b *tab) shoot(path string) {
	b.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		b.Fatal(err)
	}
}

// TestCalibrate opens the pages on screens of each width, light and dark.
func TestCalibrate(t *testing.T) {
	if err := start(); err != nil {
		t.Fatal(err)
	}
	if browser == nil {
		t.Skip("wanted chromium on the PATH or in $CHROMIUM, got none")
	}
	pages, err := reports()
	if err != nil {
		t.Fatal(err)
	}
	for name, path := range pages {
		for _, width := range []int64{320, 390, 1280} {
			for _, dark := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/dark=%v", name, width, dark), func(t *testing.T) {
					b := open(t, screen{width, 900, dark}, path)
					wrong := ask[[]string](b, wider)
					for _, w := range wrong {
						b.Error(w)
					}
					if *shots != "" {
						b.shoot(filepath.Join(*shots, fmt.Sprintf("%s-%d-%v.png", name, width, dark)))
					}
				})
			}
		}
	}
}
