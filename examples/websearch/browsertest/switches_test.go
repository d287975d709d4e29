package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const (
	ids    = `[...document.querySelectorAll(".head .meta .id")].map((e) => e.textContent)`
	newest = `[name="head"]`
	one    = `[name="per"]`
)

// screens are the widths and colours that the switches and cards are looked at with.
var screens = []screen{desktop, night, phone, {390, 844, true}, {320, 568, false}, small}

// eachScreen runs a test on each of the screens.
func eachScreen(t *testing.T, path string, look func(b *tab, s screen)) {
	for _, s := range screens {
		t.Run(fmt.Sprintf("%d,dark=%v", s.width, s.dark), func(t *testing.T) { look(open(t, s, path), s) })
	}
}

// unbroken reports whether all labels of the switches are on one line.
const unbroken = `[...document.querySelectorAll(".switch span")].every((e) => e.getBoundingClientRect().height < 30)`

// fits checks that what is shown fits the screen and can be read.
func (b *tab) fits(s screen) {
	b.Helper()
	if width := ask[int](b, `document.documentElement.scrollWidth`); width > int(s.width) {
		b.Errorf("%d pixels wide, want %d", width, s.width)
	}
	if !ask[bool](b, unbroken) {
		b.Error("a switch takes two lines")
	}
	for _, wrong := range append(ask[[]string](b, controls), ask[[]string](b, overlaps)...) {
		b.Errorf("%d pixels, dark %v: %s", s.width, s.dark, wrong)
	}
	b.accessible()
}

// TestNewest shows the newest versions, keeps that in the URL, and goes back.
func TestNewest(t *testing.T) {
	eachScreen(t, "/?q=loop+vectorizer", func(b *tab, s screen) {
		before := ask[[]string](b, ids)
		old := slices.Index(before, "llvm-14/LoopTerminology")
		b.click(newest)
		b.wait(`location.search === "?q=loop+vectorizer&head=newest" && !` + ids + `.includes("llvm-14/LoopTerminology")`)
		if after := ask[[]string](b, ids); old < 0 || after[old] != "llvm-16/LoopTerminology" {
			b.Errorf("wanted llvm-16/LoopTerminology where llvm-14/LoopTerminology was, got %q after %q", after, before)
		}
		b.fits(s)
		b.do(chromedp.Reload())
		if !ask[bool](b, `document.querySelector('`+newest+`').checked`) {
			b.Error("the switch is off in the page that the URL leads to")
		}
		b.do(chromedp.NavigateBack())
		b.wait(ids + `.includes("llvm-14/LoopTerminology") && !document.querySelector('` + newest + `').checked`)
	})
}

// TestOne shows one result of each project, follows the link to the rest of a project, which
// turns the switch off, and goes back.
func TestOne(t *testing.T) {
	eachScreen(t, "/?q=loop+vectorizer", func(b *tab, s screen) {
		b.click(one)
		b.wait(`location.search === "?q=loop+vectorizer&per=project" && ` + total + ` === "2 results"`)
		if got := ask[[]string](b, ids); len(got) != 2 || !strings.HasPrefix(got[0], "llvm-") || !strings.HasPrefix(got[1], "clang-") {
			b.Errorf("got %q, want one of llvm and one of clang", got)
		}
		b.fits(s)
		if height := ask[float64](b, `document.querySelector(".rest a").getBoundingClientRect().height`); height < 24 {
			b.Errorf("%.0f pixels are too small for a finger", height)
		}
		b.click(".rest a")
		b.wait(`location.search === "?project=llvm&q=loop+vectorizer" && ` + ids + `.length === 10`)
		if ask[bool](b, `document.querySelector('`+one+`').checked`) {
			b.Error("the switch is still on with all results of a project")
		}
		b.wait(`scrollY === 0`) // the new results begin where the page does
		b.do(chromedp.NavigateBack())
		b.wait(total + ` === "2 results" && document.querySelector('` + one + `').checked`)
	})
}

// TestMinor turns collapse off: the other switches can do nothing then, and what they say comes back with it.
func TestMinor(t *testing.T) {
	b := open(t, desktop, "/?q=loop+vectorizer&per=project")
	disabled := func(want bool) string {
		return fmt.Sprintf(`[...document.querySelectorAll("[role=switch]:not([name=collapse])")].every((e) => e.disabled === %v)`, want)
	}
	b.click("[role=switch]")
	b.wait(`location.search === "?q=loop+vectorizer&collapse=off&per=project" && ` + disabled(true) + ` && ` + total + ` !== "2 results"`)
	b.fits(desktop)
	b.click("[role=switch]")
	b.wait(`location.search === "?q=loop+vectorizer&per=project" && ` + disabled(false) + ` && ` + total + ` === "2 results"`)
}

// TestAlso looks at what cards say of their copies.
func TestAlso(t *testing.T) {
	eachScreen(t, "/?q=loop+vectorizer", func(b *tab, s screen) {
		if got := ask[string](b, `document.querySelector('[data-head="llvm-14/LoopTerminology"] > summary').textContent.trim()`); got != "3 near-copies also in llvm-16, 15, 13" {
			b.Errorf("got %q", got)
		}
		if broken := ask[int](b, `[...document.querySelectorAll(".group > summary")].filter((e) => e.getBoundingClientRect().height > 64).length`); broken > 0 {
			b.Errorf("%d cards take three lines to say where their copies are", broken)
		}
		b.fits(s)
	})
}
