package browsertest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
)

// gate is the address of spamgate, which takes made-up mail in: copies of an advert, of which one is
// marked, and other texts.
var gate = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "spamgate-test-*")
	if err != nil {
		return "", err
	}
	cleanup = append(cleanup, func() { os.RemoveAll(dir) })
	binary := filepath.Join(dir, "spamgate")
	build := exec.Command("go", "build", "-o", binary, "./spamgate")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	server := exec.Command(binary, "--addr", "127.0.0.1:0")
	stderr, err := server.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	cleanup = append(cleanup, func() {
		server.Process.Signal(os.Interrupt)
		server.Wait()
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, after, ok := strings.Cut(lines.Text(), "address="); ok {
			address, _, _ := strings.Cut(after, " ")
			go func() {
				for lines.Scan() {
				}
			}()
			return "http://" + address, fill("http://" + address)
		}
	}
	return "", fmt.Errorf("spamgate did not start: %v", lines.Err())
})

func post(url, body string) error {
	r, err := http.Post(url, "", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if text, err := io.ReadAll(r.Body); err != nil || r.StatusCode >= 300 {
		return fmt.Errorf("%s: %s: %s, %w", url, r.Status, text, err)
	}
	return nil
}

func mail(id, text string) string {
	line, _ := json.Marshal(map[string]string{"id": id, "text": text, "tenant": "shop & co"})
	return string(line) + "\n"
}

func fill(base string) error {
	const advert = "You have been chosen among thousands of customers to receive a cash prize, free of any charge. Our agents " +
		"stand by around the clock to help you with every step of the transfer, and no experience is needed. This offer is open for a few " +
		"days only, so please do not leave this message unread, and tell your friends and family as well. Your number is %d, %d times"
	var before, after strings.Builder
	for n := range 8 {
		before.WriteString(mail(fmt.Sprintf("mail-%d", n), fmt.Sprintf("letter %d of %d words about %d", n, n*n, n*n*n)))
		if n < 5 {
			before.WriteString(mail(fmt.Sprintf("copy-%d", n), fmt.Sprintf(advert, n, n)))
		}
		after.WriteString(mail(fmt.Sprint("a-long-id-", strings.Repeat("x", 10*n)), fmt.Sprintf(advert, n+1000, 7)))
	}
	if err := post(base+"/documents", before.String()); err != nil {
		return err
	}
	if err := post(base+"/marks", `{"name":"prize","label":"spam","tenant":"shop & co","id":"copy-0"}`); err != nil {
		return err
	}
	if err := post(base+"/marks", `{"name":"`+strings.Repeat("long", 60)+`","label":"wanted","text":"our own letter"}`); err != nil {
		return err
	}
	return post(base+"/documents", after.String())
}

// status opens the status page.
func status(t *testing.T, s screen, path string) (*tab, string) {
	t.Helper()
	if err := start(); err != nil {
		t.Fatal(err)
	}
	if browser == nil {
		t.Skip("wanted chromium on the PATH or in $CHROMIUM, got none")
	}
	base, err := gate()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, s, base+path), base
}

// TestSpamgate opens the status page on screens of each width, light and dark.
func TestSpamgate(t *testing.T) {
	for _, width := range []int64{320, 390, 1280} {
		for _, dark := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/dark=%v", width, dark), func(t *testing.T) {
				b, _ := status(t, screen{width, 900, dark}, "/status")
				if *shots != "" {
					b.shoot(filepath.Join(*shots, fmt.Sprintf("spamgate-%d-%v.png", width, dark)))
				}
				wrong := ask[[]string](b, wider)
				ask[float64](b, "window.shift = -1e9") // wider has opened what was shut
				for _, w := range wrong {
					b.Error(w)
				}
				if small := ask[[]string](b, `[...document.querySelectorAll("button, summary, nav a")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24).map((e) => e.outerHTML.slice(0, 80))`); len(small) > 0 {
					b.Errorf("too small for a finger: %q", small)
				}
				if ask[int](b, `document.querySelectorAll(".pair del").length`) == 0 {
					b.Error("no difference")
				}
			})
		}
	}
}

// TestSpamgateUpdates sends a mail: the page shows it by itself, without anything that moves.
// While somebody points at the verdicts they stay.
func TestSpamgateUpdates(t *testing.T) {
	b, base := status(t, desktop, "/status")
	const first, came = `document.querySelector("#verdicts li").innerText`, `Number(document.querySelector("#figures dd").textContent)`
	before := ask[int](b, came)
	if err := post(base+"/documents", mail("news", "something else that came")); err != nil {
		t.Fatal(err)
	}
	b.wait(first + `.includes("news")`)
	if got := ask[int](b, came); got != before+1 {
		b.Errorf("%d came, want %d", got, before+1)
	}
	b.click("#verdicts .card p") // the pointer is there now
	if err := post(base+"/documents", mail("newer", "and another thing that came")); err != nil {
		t.Fatal(err)
	}
	b.wait(fmt.Sprintf(`%s === %d && document.getElementById("held").textContent.includes("stays")`, came, before+2))
	if got := ask[string](b, first); !strings.Contains(got, "news") {
		b.Errorf("the list moved below the pointer: %q", got)
	}
	call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: "mouseMoved", X: 5, Y: 5})
	b.wait(first + `.includes("newer")`)
}

// TestSpamgateClick marks a text and takes that back, without loading the page anew.
func TestSpamgateClick(t *testing.T) {
	b, base := status(t, desktop, "/status")
	if err := post(base+"/documents", mail("clicked", fmt.Sprint("please mark me, sent at ", time.Now()))); err != nil {
		t.Fatal(err)
	}
	const own = `[...document.querySelectorAll("#verdicts li")].find((e) => e.querySelector("b").textContent === "clicked")`
	b.wait(own + ` !== undefined`)
	ask[bool](b, `(window.same = true)`)
	press := func(name string) { ask[bool](b, own+`.querySelector('[aria-label="`+name+`"]').click() ?? true`) }
	press("Mark as spam: clicked")
	b.wait(own + `.innerText.includes("marked: spam") && document.querySelector("#marks b").textContent === "shop & co/clicked"`)
	press("Mark as wanted: clicked")
	b.wait(own + `.innerText.includes("marked: wanted")`)
	press("Unmark clicked")
	b.wait(`!` + own + `.innerText.includes("marked:") && document.querySelector("#marks b").textContent !== "shop & co/clicked"`)
	if !ask[bool](b, `window.same`) {
		b.Error("the page was loaded anew")
	}
}
