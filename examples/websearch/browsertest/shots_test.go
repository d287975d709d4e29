package browsertest

import (
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
		path string
	}{
		{"light", desktop, path},
		{"dark", night, path},
		{"phone", phone, path},
		{"groups", desktop, "/groups"},
		{"paste", night, "/paste?like=llvm-14%2FLoopTerminology"},
	} {
		b := open(t, shot.screen, shot.path)
		picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(filepath.Join("..", "screenshots", shot.name+".png"), picture, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
