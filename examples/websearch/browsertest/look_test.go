package browsertest

import (
	"testing"
)

// contrast returns the texts whose contrast with what lies behind them is too low, by
// the formula of WCAG 2, section 1.4.3.
const contrast = `(() => {
  const rgb = (c) => { const m = c.match(/[\d.]+/g).map(Number); return {c: m.slice(0, 3), a: m[3] ?? 1}; };
  const over = (top, under) => top.c.map((v, i) => v * top.a + under[i] * (1 - top.a));
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const behind = (e) => e ? over(rgb(getComputedStyle(e).backgroundColor), behind(e.parentElement)) : [255, 255, 255];
  const low = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || !e.checkVisibility() || e.closest(".hidden, :disabled, noscript")) continue;
    const back = behind(e), front = over(rgb(getComputedStyle(e).color), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) low.add(e.tagName + "." + e.className + " " + ratio.toFixed(2));
  }
  return [...low];
})()`

var paths = []string{
	"/?q=loop+terminology&project=llvm&open=llvm-16%2FLoopTerminology", "/?q=loop+vectorizer&collapse=off", "/?q=xyzzyx",
	"/groups?page=3", "/paste?like=llvm-14%2FLoopTerminology", "/doc?id=llvm-14%2FLoopTerminology",
	"/compare?a=llvm-14%2FLoopTerminology&b=llvm-16%2FLoopTerminology",
}

func TestContrast(t *testing.T) {
	for _, s := range []screen{desktop, night} {
		for _, path := range paths {
			b := open(t, s, path)
			for _, low := range ask[[]string](b, contrast) {
				t.Errorf("%s, dark %v: %s to 1, want 4.5", path, s.dark, low)
			}
		}
	}
}

func TestPhone(t *testing.T) {
	for _, path := range paths {
		b := open(t, phone, path)
		if width := ask[int](b, `document.documentElement.scrollWidth`); width > int(phone.width) {
			t.Errorf("%s is %d pixels wide, want %d", path, width, phone.width)
		}
		small := ask[[]string](b, `[...document.querySelectorAll("button, summary, nav a, .facet a, select")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24).map((e) => e.outerHTML.slice(0, 80))`)
		for _, e := range small {
			t.Errorf("%s: too small for a finger: %s", path, e)
		}
	}
}

// TestFirstPaint reports when something is to be seen; how long that takes depends on
// the machine.
func TestFirstPaint(t *testing.T) {
	for _, path := range paths {
		b := open(t, desktop, path)
		const paint = `(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0)`
		b.wait(paint + " > 0")
		t.Logf("%.0f ms  %s", ask[float64](b, paint), path)
	}
}

// TestMarkup checks what readers of screens go by.
func TestMarkup(t *testing.T) {
	for _, path := range paths {
		b := open(t, desktop, path)
		for what, js := range map[string]string{
			"one main heading":           `document.querySelectorAll("h1").length <= 1`,
			"no id twice":                `new Set([...document.querySelectorAll("[id]")].map((e) => e.id)).size === document.querySelectorAll("[id]").length`,
			"a name for each control":    `[...document.querySelectorAll("input:not([type=hidden]), select, textarea")].every((e) => e.labels.length > 0)`,
			"no style or script in it":   `document.querySelectorAll("[style], style, script:not([src])").length === 0`,
			"a language and a title":     `document.documentElement.lang === "en" && document.title !== ""`,
			"all that it takes is local": `performance.getEntriesByType("resource").every((e) => e.name.startsWith(location.origin))`,
		} {
			if !ask[bool](b, js) {
				t.Errorf("%s: wanted %s", path, what)
			}
		}
	}
}
