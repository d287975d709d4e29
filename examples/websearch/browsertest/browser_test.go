package browsertest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	total  = `document.querySelector("#status b").textContent`
	titles = `[...document.querySelectorAll(".entry h2")].map((e) => e.textContent)`
)

// set moves a slider, as a mouse does.
func (b *tab) set(id, value string) {
	b.Helper()
	ask[bool](b, `(() => { const s = document.getElementById("`+id+`"); s.value = `+value+`; s.dispatchEvent(new Event("input", {bubbles: true})); return true })()`)
}

func (b *tab) click(css string) {
	b.Helper()
	b.do(chromedp.Click(chromedp.CSS(css)))
}

func TestSearch(t *testing.T) {
	b := open(t, desktop, "/")
	all := ask[string](b, total)
	b.do(chromedp.SendKeys(chromedp.CSS("#q"), "loop vectorizer"+kb.Enter))
	b.wait(total + ` !== "` + all + `"`)
	if got := ask[[]string](b, titles); len(got) != 10 || got[0] != "Vectorization Plan" {
		t.Errorf("got %q, want 10 results, Vectorization Plan first", got)
	}
	if got := ask[string](b, "location.search"); got != "?q=loop+vectorizer" {
		t.Errorf("the URL says %q", got)
	}
	if ask[int](b, `document.querySelectorAll(".snippet mark").length`) == 0 {
		t.Error("no word of the query is marked")
	}
	b.do(chromedp.NavigateBack())
	b.wait(total + ` === "` + all + `" && document.getElementById("q").value === ""`)
}

func TestSwitch(t *testing.T) {
	b := open(t, desktop, "/?q=loop+vectorizer")
	on := ask[string](b, total)
	b.click("[role=switch]")
	b.wait(total + ` !== "` + on + `"`)
	if got := ask[[]string](b, titles); got[0] != got[1] || got[0] != got[3] {
		t.Errorf("without collapse: %q, want four versions of the first", got)
	}
	if ask[int](b, `document.querySelectorAll(".tag").length`) == 0 {
		t.Error("no result says that it is a near-copy")
	}
	b.click("[role=switch]")
	b.wait(total + ` === "` + on + `"`)
}

func TestGroup(t *testing.T) {
	b := open(t, desktop, "/?q=loop+terminology")
	b.click("details.group > summary")
	b.wait(`document.querySelectorAll("details.copy[open] .diff").length === 1`)
	open := `document.querySelector("details.copy[open]")`
	for js, want := range map[string]int{
		`.querySelectorAll(".lanes i").length`: 100,
		`.querySelectorAll(".bits i").length`:  64,
		`.querySelectorAll(".lanes .apart").length + Number(` + open + `.querySelector(".figures span").textContent.split(" ")[0])`: 100,
		`.querySelectorAll(".reason").length`: 1,
	} {
		if got := ask[int](b, open+js); got != want {
			t.Errorf("%s: got %d, want %d", js, got, want)
		}
	}
	if !ask[bool](b, open+`.querySelector(".diff del") !== null && `+open+`.querySelector(".diff ins") !== null`) {
		t.Error("no word is marked as removed, or none as added")
	}
	// The URL says what is open: who gets it sees the same.
	b.do(chromedp.Reload())
	b.wait(`document.querySelectorAll("details.copy[open] .diff").length === 1`)
}

func TestSliders(t *testing.T) {
	b := open(t, desktop, "/?q=loop+vectorizer")
	before := ask[string](b, total)
	b.set("lanes", "60")
	b.wait(total + ` !== "` + before + `"`)
	if got := ask[string](b, "location.search"); got != "?q=loop+vectorizer&lanes=60" {
		t.Errorf("the URL says %q", got)
	}
	if got := ask[string](b, `document.querySelector("output[for=lanes]").textContent`); got != "60" {
		t.Errorf("the slider says %s, want 60", got)
	}
}

// TestFacets follows a link: there are as many results as it says.
func TestFacets(t *testing.T) {
	b := open(t, desktop, "/?q=loop+vectorizer")
	for range 2 { // a project, then a version
		link := `document.querySelector(".facet:not(:has([aria-current])) li:last-child a")`
		count := ask[string](b, link+`.querySelector(".count").textContent`)
		ask[bool](b, link+".click() ?? true")
		b.wait(total + `.startsWith("` + count + ` ")`)
	}
}

func TestPages(t *testing.T) {
	b := open(t, desktop, "/?q=loop+vectorizer")
	first := ask[string](b, titles+"[0]")
	b.click(`.pager [rel="next"]`)
	b.wait(`location.search.includes("page=2") && ` + titles + `[0] !== "` + first + `"`)
	if got := ask[string](b, `document.querySelector(".pager [aria-current]").textContent`); got != "2" {
		t.Errorf("the pager is at %s, want 2", got)
	}
	b.click(`.pager [rel="prev"]`)
	b.wait(titles + `[0] === "` + first + `"`)
}

func TestGroups(t *testing.T) {
	b := open(t, desktop, "/groups")
	before := ask[string](b, total)
	b.click("details.group > summary")
	b.wait(`document.querySelectorAll("details.copy[open] .compare").length === 1`)
	b.click(`.pager [rel="next"]`)
	b.wait(`location.search.includes("page=2")`)
	b.set("lanes", "50")
	b.wait(total + ` !== "` + before + `"`)
}

func TestPaste(t *testing.T) {
	b := open(t, desktop, "/paste")
	b.click("button.primary") // nothing to do yet
	ask[string](b, `fetch("/doc?id=llvm-14%2FLoopTerminology").then((r) => r.text()).then((h) => { window.pasted = new DOMParser().parseFromString(h, "text/html").querySelector("pre").textContent; }) && ""`)
	b.wait(`window.pasted !== undefined`)
	text := ask[string](b, `window.pasted`)
	ask[bool](b, `(document.getElementById("text").value = `+strconv.Quote("An edited beginning. ")+` + window.pasted) !== ""`)
	if len(text) < 1000 {
		t.Fatalf("a text of %d bytes", len(text))
	}
	b.click("button.primary")
	b.wait(`document.querySelectorAll("details.copy").length === 4`)
	b.click("details.copy > summary")
	b.wait(`document.querySelector("details.copy[open] .diff ins")?.textContent.startsWith("An edited beginning.") === true`)
	// What was added shows as added, and a text that was edited not as the same.
	if got := ask[string](b, `document.querySelector("details.copy[open] .facts.sides .ins").textContent`); got != "+ 3 only in your text" {
		t.Errorf("got %q", got)
	}
	if got := ask[bool](b, `[...document.querySelectorAll(".figures b, .facts b")].some((e) => e.textContent.startsWith("100"))`); got {
		t.Error("an edited text is said to be the same")
	}
}

// TestOrigins pastes words of two manuals: on a wide screen each passage stands beside the document that it comes
// from, on a phone above it.
func TestOrigins(t *testing.T) {
	for _, s := range []screen{desktop, night, phone, {phone.width, phone.height, true}, small, {small.width, small.height, false}} {
		t.Run(fmt.Sprintf("%d,dark=%v", s.width, s.dark), func(t *testing.T) {
			b := open(t, s, "/paste")
			ask[string](b, `Promise.all(["llvm-14/LoopTerminology", "llvm-16/Vectorizers"].map((id) => fetch("/doc?id=" + encodeURIComponent(id)).then((r) => r.text())
				.then((h) => new DOMParser().parseFromString(h, "text/html").querySelector("pre").textContent.split(/\s+/).slice(200, 330).join(" "))))
				.then((texts) => { document.getElementById("text").value = "My own words. " + texts.join(" And some more words of my own. "); window.pasted = true; }) && ""`)
			b.wait(`window.pasted === true`)
			b.click("button.primary")
			b.wait(`document.querySelectorAll(".origin").length === 2`)
			for _, got := range ask[[]string](b, `[...document.querySelectorAll(".origin")].map((o) => {
				const [given, own] = [...o.children].map((e) => e.getBoundingClientRect());
				return innerWidth > 832 ? (Math.abs(given.top - own.top) < 2 && given.right <= own.left + 1 ? "" : "not side by side") : (given.bottom <= own.top + 1 ? "" : "not one above the other");
			})`) {
				if got != "" {
					t.Error(got)
				}
			}
			if got := ask[[]string](b, `[...document.querySelectorAll(".origin h3 a")].map((a) => new URL(a.href).searchParams.get("id"))`); !slices.Equal(got, []string{"llvm-16/LoopTerminology", "llvm-16/Vectorizers"}) {
				t.Errorf("traced to %q", got)
			}
			for _, low := range ask[[]string](b, controls) {
				t.Error(low)
			}
			b.accessible()
			if width := ask[int](b, `document.documentElement.scrollWidth`); width > int(s.width) {
				t.Errorf("%d pixels wide, want %d", width, s.width)
			}
			if *shots != "" {
				b.shoot(filepath.Join(*shots, fmt.Sprintf("origins-%d-%v.png", s.width, s.dark)))
			}
			b.click(".origin h3 a")
			b.wait(`document.querySelector("article.doc h1")?.textContent.startsWith("LLVM Loop Terminology") === true`)
		})
	}
}

// TestBack goes back from a rule to the search before it, whatever the number of moves.
func TestBack(t *testing.T) {
	b := open(t, desktop, "/")
	all := ask[string](b, total)
	b.do(chromedp.SendKeys(chromedp.CSS("#q"), "loop vectorizer"+kb.Enter))
	b.wait(total + ` !== "` + all + `"`)
	searched := ask[string](b, total)
	for _, value := range []string{"80", "70", "60"} {
		b.set("lanes", value)
		b.wait(`location.search.includes("lanes=` + value + `")`)
	}
	b.do(chromedp.NavigateBack())
	b.wait(`location.search === "?q=loop+vectorizer" && ` + total + ` === "` + searched + `" && document.getElementById("lanes").value === "90"`)
	b.do(chromedp.NavigateBack())
	b.wait(`location.search === "" && ` + total + ` === "` + all + `" && document.getElementById("q").value === ""`)
}

// TestBeyond asks for a page after the last, and gets to that.
func TestBeyond(t *testing.T) {
	for _, path := range []string{"/?q=loop", "/groups?lanes=90"} {
		b := open(t, desktop, path+"&page=9999")
		if got := ask[string](b, `document.querySelector(".empty").textContent`); !strings.HasPrefix(got, "There is no page 9,999; the last is ") {
			t.Errorf("%s: got %q", path, got)
		}
		b.click(".empty a")
		b.wait(`document.querySelector(".entry") !== null && document.querySelector(".pager li:last-child [aria-current]") !== null`)
	}
}

// TestLike moves a slider below a document's own text: the URL goes on naming it.
func TestLike(t *testing.T) {
	b := open(t, desktop, "/paste?like=llvm-14%2FLoopTerminology")
	b.wait(`document.querySelectorAll("details.copy").length === 4`)
	b.set("lanes", "97")
	b.wait(`document.querySelectorAll("details.copy").length === 2`)
	if got := ask[string](b, "location.search"); got != "?lanes=97&like=llvm-14%2FLoopTerminology" {
		t.Errorf("the URL says %q", got)
	}
}

// TestKeyboard reaches and works everything without a mouse.
func TestKeyboard(t *testing.T) {
	b := open(t, desktop, "/?q=loop+terminology")
	press := func(keys string) { b.Helper(); b.do(chromedp.KeyEvent(keys)) }
	until := func(css string) {
		b.Helper()
		for range 60 {
			if ask[bool](b, `document.activeElement.matches("`+css+`")`) {
				if !ask[bool](b, `getComputedStyle(document.activeElement).outlineStyle !== "none" || document.activeElement.matches("input, textarea")`) {
					b.Errorf("%s has the focus, and does not show it", css)
				}
				return
			}
			press(kb.Tab)
		}
		b.Fatalf("Tab does not come to %s", css)
	}
	press(kb.Tab)
	until(".skip")
	// A key that is pressed and types a character, as people press it: chromedp.KeyEvent sends the two apart.
	slash := func() {
		b.Helper()
		call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: "keyDown", Key: "/", Code: "Slash", Text: "/"})
		call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: "keyUp", Key: "/", Code: "Slash"})
	}
	slash()
	if !ask[bool](b, `document.activeElement.matches("#q")`) {
		b.Error("the key / does not come to the query")
	}
	slash() // is typed
	if got := ask[string](b, `document.getElementById("q").value`); got != "/" {
		b.Errorf("a / in the field: got %q", got)
	}
	b.do(chromedp.SetValue("#q", "loop terminology"))
	until("[role=switch]")
	on := ask[string](b, total)
	press(" ")
	b.wait(total + ` !== "` + on + `"`)
	press(" ")
	b.wait(total + ` === "` + on + `"`)
	until("#lanes")
	for range 5 {
		press(kb.ArrowLeft)
	}
	b.wait(`location.search.includes("lanes=85")`)
	until(".facet a")
	press(kb.Enter)
	b.wait(`document.activeElement.matches(".facet a[aria-current]")`)
	until("details.group > summary")
	press(kb.Enter)
	b.wait(`document.querySelector("details.copy[open] .facts") !== null`)
	until("details.copy > summary")
	until(".pager [rel=next]")
	press(kb.Enter)
	b.wait(`location.search.includes("page=2")`)
}

// TestHowAlike: on a phone the results come before the slider.
func TestHowAlike(t *testing.T) {
	b := open(t, phone, "/?q=loop")
	if !ask[bool](b, `document.querySelector(".entry").getBoundingClientRect().top < document.querySelector("aside").getBoundingClientRect().top`) {
		t.Error("on a phone, results come after the controls")
	}
	if !ask[bool](b, `document.querySelector("[name=collapse][role=switch]").getBoundingClientRect().bottom < document.querySelector(".entry").getBoundingClientRect().top`) {
		t.Error("on a phone, the switch that collapses comes after the results")
	}
}

// TestLanguage: a word with a minus must not be there, and is not marked.
func TestLanguage(t *testing.T) {
	b := open(t, desktop, "/?q=loop")
	all := ask[string](b, total)
	b = open(t, desktop, "/?q=loop+-vectorizer")
	if got := ask[string](b, total); got == all || got == "" {
		t.Errorf("got %q results without vectorizer, %q with", got, all)
	}
}
