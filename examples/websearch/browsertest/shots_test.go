package browsertest

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestScreenshots takes the pictures of the README, and writes them with -update.
func TestScreenshots(t *testing.T) {
	const path = "/?q=loop+terminology&open=llvm-16%2FLoopTerminology"
	for _, shot := range []struct {
		name string
		screen
	}{{"light", desktop}, {"dark", night}} {
		t.Run(shot.name, func(t *testing.T) {
			picture := take(open(t, shot.screen, path))
			if !*update {
				return
			}
			if err := os.WriteFile(filepath.Join("..", "screenshots", shot.name+".png"), picture, 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// take takes a picture. It shows how long the server took; what else the machine does is
// no part of that, so the quickest of some is taken.
func take(b *tab) (picture []byte) {
	reloads, least := 1, math.Inf(1)
	if *update {
		reloads = 15
	}
	for range reloads {
		b.do(chromedp.Reload())
		took := ask[float64](b, `parseFloat(document.querySelector(".took").textContent)`)
		if took >= least {
			continue
		}
		var err error
		if picture, err = chromedp.Run(b.ctx, chromedp.CaptureScreenshot()); err != nil {
			b.Fatal(err)
		}
		least = took
	}
	return picture
}
