// Package browsertest opens the pages of websearch, and those that calibrate writes, in a browser: Chromium, without a
// screen. It is a module of its own, so that the examples do not depend on what
// drives the browser. Where there is no Chromium its tests are skipped.
package browsertest

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "write the screenshots anew")

var (
	base    string          // where the pages are served
	browser context.Context // nil without Chromium

	cleanup []func() // to be called in reverse
)

func TestMain(m *testing.M) {
	code := m.Run()
	for _, f := range slices.Backward(cleanup) {
		f()
	}
	os.Exit(code)
}

// start serves the manuals and starts the browser, once for all tests.
var start = sync.OnceValue(func() error {
	path, err := chromium()
	if path == "" {
		return err
	}
	dir, err := os.MkdirTemp("", "websearch-test-*")
	if err != nil {
		return err
	}
	cleanup = append(cleanup, func() { os.RemoveAll(dir) })
	stop, err := serve(dir)
	if err != nil {
		return err
	}
	cleanup = append(cleanup, stop)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("force-color-profile", "srgb"))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	cleanup = append(cleanup, cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	cleanup = append(cleanup, cancel)
	if err := chromedp.Do(ctx); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	browser = ctx
	return nil
})

// chromium is the path of the browser, or empty. One that $CHROMIUM names has to be
// there.
func chromium() (string, error) {
	if name := os.Getenv("CHROMIUM"); name != "" {
		return exec.LookPath(name)
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", nil
}

// axe is the source of axe-core, which looks for what keeps people out who use a screen reader or a keyboard, or see
// little: "" unless $AXE names its file, axe.min.js.
var axe = sync.OnceValues(func() (string, error) {
	path := os.Getenv("AXE")
	if path == "" {
		return "", nil
	}
	source, err := os.ReadFile(path)
	return string(source), err
})

// barriers is what breaks a rule of WCAG 2.2, level AA, or a good practice.
const barriers = `axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
	.then((found) => found.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + v.help + ": " + n.html.slice(0, 120))))`

// serve builds websearch and starts it, and returns how to stop it.
func serve(dir string) (stop func(), err error) {
	binary := filepath.Join(dir, "websearch")
	build := exec.Command("go", "build", "-o", binary, "./websearch")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	server := exec.Command(binary, "--addr", "127.0.0.1:0")
	stderr, err := server.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		server.Process.Signal(os.Interrupt)
		server.Wait()
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, after, ok := strings.Cut(lines.Text(), "url="); ok {
			base, _, _ = strings.Cut(after, " ")
			go func() {
				for lines.Scan() {
				}
			}()
			return stop, nil
		}
	}
	stop()
	return nil, fmt.Errorf("websearch did not start: %v", lines.Err())
}

// screen is what a page is shown on.
type screen struct {
	width, height int64
	dark          bool
}

var (
	desktop = screen{1280, 900, false}
	night   = screen{1280, 900, true}
	phone   = screen{390, 844, false}
	small   = screen{320, 568, true}
)

// tab is a page in the browser that notes what the console says.
type tab struct {
	*testing.T
	ctx     context.Context
	mu      sync.Mutex
	console []string
}

// shifts notes layout shifts that nobody asked for, from the start of each page. What somebody did is asked for, and so is what
// the page then shows of an answer, however long the server takes for that: the browser by itself knows only of half a second.
const shifts = `window.shift = 0, window.moved = [];
{
	const recent = 500, fetch = window.fetch;
	let done = -Infinity, answered = -Infinity;
	for (const type of ["pointerdown", "pointerup", "keydown", "popstate"]) addEventListener(type, (e) => { if (e.isTrusted) done = performance.now(); }, true);
	window.fetch = async (...request) => {
		const asked = performance.now() - done < recent;
		try {
			return await fetch(...request);
		} finally {
			if (asked) answered = performance.now();
		}
	};
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) {
			if (e.hadRecentInput || e.startTime - answered <= recent) continue;
			window.shift += e.value;
			window.moved.push(...e.sources.map((s) => (s.node?.outerHTML ?? s.node?.nodeName ?? "what is gone").slice(0, 80)));
		}
	}).observe({type: "layout-shift", buffered: true});
}`

// open opens a page of websearch in a new tab, or one of a whole address. At the end of the test nothing may stand in
// the console, and nothing may have moved by itself.
func open(t *testing.T, s screen, path string) *tab {
	t.Helper()
	if err := start(); err != nil {
		t.Fatal(err)
	}
	if browser == nil {
		t.Skip("wanted chromium on the PATH or in $CHROMIUM, got none")
	}
	ctx, cancel := chromedp.NewContext(browser)
	ctx, stop := context.WithTimeout(ctx, 3*time.Minute)
	b := &tab{T: t, ctx: ctx}
	t.Cleanup(func() {
		b.check()
		stop()
		cancel()
	})
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	scheme := "light"
	if s.dark {
		scheme = "dark"
	}
	call(b, cdplog.Enable, cdp.Empty{})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: shifts})
	if !strings.Contains(path, "://") {
		path = base + path
	}
	b.do(chromedp.EmulateViewport(s.width, s.height), chromedp.Navigate(path))
	return b
}

// call sends a command to the browser.
func call[P, R any](b *tab, c cdp.Command[P, R], params P) {
	b.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	}))
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.console = append(b.console, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.console = append(b.console, fmt.Sprintf("console.%s", e.Type))
	case *cdplog.EventEntryAdded:
		b.console = append(b.console, e.Entry.Text)
	}
}

// check checks what holds of every page at any time.
func (b *tab) check() {
	b.Helper()
	if shift := ask[float64](b, "window.shift"); shift > .01 {
		b.Errorf("layout shift of %.3f, want 0; moved were %q", shift, ask[[]string](b, "window.moved"))
	}
	b.accessible()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, line := range b.console {
		b.Errorf("in the console: %s", line)
	}
}

// accessible checks what axe-core finds in the page as it is now.
func (b *tab) accessible() {
	b.Helper()
	source, err := axe()
	if err != nil {
		b.Fatal(err)
	}
	if source == "" {
		b.Log("not looked for barriers, nor at the contrast of texts: wanted axe.min.js of axe-core in $AXE, got none")
		return
	}
	b.wait(`getComputedStyle(document.getElementById("list") ?? document.body).opacity === "1"`) // it is dim while it loads
	ask[string](b, source+`; "read"`)
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](barriers, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatal(err)
	}
	for _, barrier := range found {
		b.Error(barrier)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// ask evaluates JavaScript.
func ask[V any](b *tab, js string) V {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[V](js))
	if err != nil {
		b.Fatalf("%s: %v", js, err)
	}
	return v
}

// pageGone is the code of the browser's error where a page goes, to be followed by another, while it is asked.
const pageGone = -32000

// wait waits until JavaScript says true, perhaps on the next page. (chromedp.Poll makes functions of strings,
// which the page's policy forbids.)
func (b *tab) wait(js string) {
	b.Helper()
	for range 2400 {
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](js))
		switch gone := (*cdproto.Error)(nil); {
		case is:
			return
		case err != nil && !(errors.As(err, &gone) && gone.Code == pageGone):
			b.Fatalf("%s: %v", js, err)
		}
		time.Sleep(25 * time.Millisecond)
	}
	b.Fatalf("%s is not so; the page says %q", js, ask[string](b, `document.querySelector("main").innerText.slice(0, 300)`))
}
