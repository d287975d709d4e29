package browsertest

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// controls returns the controls and the lanes that do not stand out from what lies behind them, by WCAG 2, section
// 1.4.11. axe-core looks at the contrast of texts alone.
const controls = `(() => {
  const rgb = (c) => { const m = c.match(/[\d.]+/g).map(Number); return {c: m.slice(0, 3), a: m[3] ?? 1}; };
  const over = (top, under) => top.c.map((v, i) => v * top.a + under[i] * (1 - top.a));
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const behind = (e) => e ? over(rgb(getComputedStyle(e).backgroundColor), behind(e.parentElement)) : [255, 255, 255];
  const low = new Set();
  for (const e of document.querySelectorAll("input, select, textarea, .button, .strip i")) {
    const style = getComputedStyle(e), border = parseFloat(style.borderTopWidth) > 0;
    if (!e.checkVisibility() || e.closest(".hidden, :disabled") || e.matches("[type=hidden], [type=range], [type=radio], .zero")) continue;
    const back = behind(e.parentElement), front = over(rgb(border ? style.borderTopColor : style.backgroundColor), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
    if (ratio < 3) low.add(e.tagName + "." + e.className + " " + ratio.toFixed(2) + " to 1, want 3");
  }
  return [...low];
})()`

var paths = []string{
	"/?q=loop+terminology&project=llvm&open=llvm-16%2FLoopTerminology", "/?q=loop+vectorizer&collapse=off", "/?q=xyzzyx",
	"/groups?page=3", "/paste?like=llvm-14%2FLoopTerminology", "/doc?id=llvm-14%2FLoopTerminology",
	"/compare?a=llvm-14%2FLoopTerminology&b=llvm-16%2FLoopTerminology",
}

// each looks at each of the pages, one tab after the other.
func each(t *testing.T, s screen, look func(b *tab)) {
	for _, path := range paths {
		t.Run(path, func(t *testing.T) { look(open(t, s, path)) })
	}
}

func TestContrast(t *testing.T) {
	for _, s := range []screen{desktop, night} {
		each(t, s, func(b *tab) {
			for _, low := range ask[[]string](b, controls) {
				b.Errorf("dark %v: %s", s.dark, low)
			}
		})
	}
}

func TestPhone(t *testing.T) {
	for _, s := range []screen{phone, small} {
		each(t, s, func(b *tab) {
			if width := ask[int](b, `document.documentElement.scrollWidth`); width > int(s.width) {
				b.Errorf("%d pixels wide, want %d", width, s.width)
			}
			for _, e := range ask[[]string](b, `[...document.querySelectorAll("button, summary, nav a, .facet a, select")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24).map((e) => e.outerHTML.slice(0, 80))`) {
				b.Errorf("too small for a finger: %s", e)
			}
			for _, e := range ask[[]string](b, overlaps) {
				b.Errorf("%d pixels: %s", s.width, e)
			}
		})
	}
}

// overlaps is which labels of the form run into each other, or out of their place.
const overlaps = `(() => {
	const labels = [...document.querySelectorAll(".slider label, .choice label, .radio, legend")].filter((e) => e.checkVisibility());
	const box = (e) => { const r = document.createRange(); r.selectNodeContents(e); return r.getBoundingClientRect(); };
	const all = labels.map((e) => [e.textContent.trim().replace(/\s+/g, " "), box(e), e.parentElement.getBoundingClientRect()]);
	const wrong = all.filter(([, a, p]) => a.left < p.left - 1 || a.right > p.right + 1).map(([text]) => text + " is wider than its place");
	for (const [i, [x, a]] of all.entries()) for (const [y, b] of all.slice(i + 1)) {
		if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) wrong.push(x + " runs into " + y);
	}
	const broken = [...document.querySelectorAll(".facet h2")].filter((e) => e.getBoundingClientRect().height > 30);
	return wrong.concat(broken.map((e) => e.textContent + " is broken in two"));
})()`

// TestFirstPaint reports when the answer is there and when something is to be seen: in
// a new tab, and the median and the best of reloads. How long that takes depends on
// what else the machine does, so what is checked is the processor time that the page
// takes: .2 s until the first paint is the aim, with a server that takes .1 s of it.
func TestFirstPaint(t *testing.T) {
	each(t, desktop, func(b *tab) { painted(b, 100) })
}

// TestFirstPaintElsewhere does so with the largest report of calibrate and the status page of spamgate.
func TestFirstPaintElsewhere(t *testing.T) {
	t.Run("spamgate", func(t *testing.T) {
		b, _ := status(t, desktop, "/status")
		painted(b, 100)
	})
	t.Run("calibrate", func(t *testing.T) {
		open(t, desktop, "/") // or there is no browser
		pages, err := reports()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(maps.Keys(pages)) {
			t.Run(name, func(t *testing.T) { painted(open(t, desktop, pages[name]), 200) })
		}
	})
}

// painted reports how long a page takes, which must be at most so many ms of processor time.
func painted(b *tab, most float64) {
	b.Helper()
	const answer = `performance.getEntriesByType("navigation")[0].responseEnd`
	const paint = `(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0)`
	call(b, performance.Enable, performance.EnableParams{TimeDomain: "threadTicks"})
	var answers, paints, tasks []float64
	for range 6 {
		b.wait(paint + " > 0")
		answers, paints, tasks = append(answers, ask[float64](b, answer)), append(paints, ask[float64](b, paint)), append(tasks, taskTime(b))
		b.do(chromedp.Reload())
	}
	first := paints[0]
	for _, all := range []*[]float64{&answers, &paints, &tasks} {
		*all = slices.Sorted(slices.Values((*all)[1:]))
	}
	b.Logf("new tab %4.0f ms; again: answered in %3.0f, best %3.0f; painted at %3.0f, best %3.0f; processor time of the page %2.0f",
		first, answers[2], answers[0], paints[2], paints[0], tasks[2])
	if tasks[2] > most {
		b.Errorf("the page takes %.0f ms of processor time, want %.0f at most", tasks[2], most)
	}
}

// taskTime is the processor time of the page's main thread since it was loaded, in ms.
func taskTime(b *tab) float64 {
	b.Helper()
	var ms float64
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		r, err := cdp.Call(ctx, t, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, m := range r.Metrics {
			if m.Name == "TaskDuration" {
				ms = 1000 * m.Value
			}
		}
		return nil
	}))
	return ms
}

// TestMarkup checks what readers of screens go by.
func TestMarkup(t *testing.T) {
	each(t, desktop, func(b *tab) {
		for what, js := range map[string]string{
			"one main heading":           `document.querySelectorAll("h1").length <= 1`,
			"no id twice":                `new Set([...document.querySelectorAll("[id]")].map((e) => e.id)).size === document.querySelectorAll("[id]").length`,
			"a name for each control":    `[...document.querySelectorAll("input:not([type=hidden]), select, textarea")].every((e) => e.labels.length > 0)`,
			"no style or script in it":   `document.querySelectorAll("[style], style, script:not([src])").length === 0`,
			"a language and a title":     `document.documentElement.lang === "en" && document.title !== ""`,
			"all that it takes is local": `performance.getEntriesByType("resource").every((e) => e.name.startsWith(location.origin))`,
		} {
			if !ask[bool](b, js) {
				b.Errorf("wanted %s", what)
			}
		}
	})
}
