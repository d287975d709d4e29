package docs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// page returns a page of this directory.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// words returns n words, each of its own, and the same with so many changed, at least
// 16 words apart and from the ends.
func words(rng *rand.Rand, n, changed int) (a, b string) {
	text := make([]string, n)
	for i := range text {
		text[i] = strconv.FormatUint(rng.Uint64(), 36)
	}
	a = strings.Join(text, " ")
	room := (n - 16*2) / max(changed, 1)
	for i := range changed {
		text[16+i*room+rng.IntN(max(room-16, 1))] = strconv.FormatUint(rng.Uint64(), 36)
	}
	return a, strings.Join(text, " ")
}

// resemblance is that of two texts, from the sets of their shingles.
func resemblance(a, b string, width int) float64 {
	sets := [2]map[string]bool{}
	for i, text := range []string{a, b} {
		sets[i] = map[string]bool{}
		words := strings.Fields(text)
		for j := range len(words) - width + 1 {
			sets[i][strings.Join(words[j:j+width], " ")] = true
		}
	}
	common := 0
	for s := range sets[0] {
		if sets[1][s] {
			common++
		}
	}
	return float64(common) / float64(len(sets[0])+len(sets[1])-common)
}

// cells returns the numbers of the table rows of a page that begin with the words:
// "| w=4, 100 | .92 | ..." gives them after "w=4, 100".
func cells(t *testing.T, text, row string) (all []float64) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(row) + ` \|(.*)\|$`).FindStringSubmatch(text)
	if line == nil {
		t.Fatalf("no row %q", row)
	}
	for _, cell := range strings.Split(line[1], "|") {
		x, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
		if err != nil {
			x = math.NaN()
		}
		all = append(all, x)
	}
	return all
}

// The table of edits: the resemblance is counted, and the shares that the rule accepts
// are of so many pairs. Run with -v for the rows.
func TestEdits(t *testing.T) {
	t.Parallel()
	const pairs = 400
	text := page(t, "thresholds.md")
	edits := []int{1, 2, 5, 10, 20}
	for width, lengths := range map[int][]int{4: {400}} {
		names := []string{"resemblance", "lanes"}
		p := signature.DefaultParams()
		p.Width = width
		for _, n := range lengths {
			rows := make([]strings.Builder, len(names))
			for i, e := range edits {
				if n < 32+16*e {
					continue
				}
				rng := rand.New(rand.NewPCG(uint64(n), uint64(e)))
				var byLanes, r float64
				for range pairs {
					a, b := words(rng, n, e)
					r = resemblance(a, b, width)
					x, y := signature.Of(p, []byte(a)), signature.Of(p, []byte(b))
					m, _ := signature.Rule{}.Match(&x, &y)
					if m.By&signature.BySketch != 0 {
						byLanes += 1. / pairs
					}
				}
				shingles, broken := float64(n-width+1), float64(e*width)
				if want := (shingles - broken) / (shingles + broken); math.Abs(r-want) > 1e-9 {
					t.Errorf("width %d, %d words, %d edits: counted %v, (N-ew)/(N+ew) is %v", width, n, e, r, want)
				}
				for j, name := range names {
					value := []float64{r, byLanes}[j]
					fmt.Fprintf(&rows[j], " %.2f |", value)
					if got := cells(t, text, fmt.Sprintf("w=%d, %d, %s", width, n, name))[i]; !(math.Abs(got-value) <= .0051) {
						t.Errorf("thresholds.md, w=%d, %d words, %d edits: %s is %v there, want %.2f", width, n, e, name, got, value)
					}
				}
			}
			for j, name := range names {
				t.Logf("| w=%d, %d, %s |%s", width, n, name, &rows[j])
			}
		}
	}
}

// The shortest texts that so many changed words leave at r = .9.
func TestLengths(t *testing.T) {
	t.Parallel()
	text := page(t, "thresholds.md")
	for _, width := range []int{4} {
		for i, got := range cells(t, text, fmt.Sprintf("w=%d, words for r = .9", width)) {
			e := []int{1, 2, 5, 10, 20}[i]
			n := int(got)
			a, b := words(rand.New(rand.NewPCG(1, 1)), n, e)
			c, d := words(rand.New(rand.NewPCG(1, 1)), n-1, e)
			if resemblance(a, b, width) < .9 || resemblance(c, d, width) >= .9 {
				t.Errorf("w=%d, %d changed words: %d is not the least number of words for .9", width, e, n)
			}
		}
	}
}

// P(accepted) by the number of lanes: the binomial tail, with lanes that agree by chance. Run with -v for the figures.
func TestAcceptance(t *testing.T) {
	t.Parallel()
	accepted := func(lanes, column int) (r, p float64) {
		r = []float64{.5, .7, .8, .85, .9, .95, .98}[column]
		agree := r + (1-r)/256
		for k := lanes; k <= 100; k++ {
			n, _ := math.Lgamma(101)
			a, _ := math.Lgamma(float64(k + 1))
			b, _ := math.Lgamma(float64(101 - k))
			p += math.Exp(n - a - b + float64(k)*math.Log(agree) + float64(100-k)*math.Log(1-agree))
		}
		return r, p
	}
	text := page(t, "thresholds.md")
	for _, lanes := range []int{95, 90, 80, 70} {
		for i, got := range cells(t, text, strconv.Itoa(lanes)) {
			r, want := accepted(lanes, i)
			t.Logf("%d lanes, r = %v: %.4f", lanes, r, want)
			if math.Abs(got-want) > .000051 {
				t.Errorf("thresholds.md: %d lanes, r = %v: %v there, want %.4f", lanes, r, got, want)
			}
		}
	}
	for i, got := range cells(t, page(t, "../../README.md"), "accepted with probability") { // one digit of small ones
		if r, want := accepted(90, i); math.Abs(got-want) > .0051 || want < .01 && fmt.Sprintf("%.0e", got) != fmt.Sprintf("%.0e", want) {
			t.Errorf("README.md: r = %v: %v there, want %.2g", r, got, want)
		}
	}
}

// limits.md: letters misread at a rate, in words of five, of one text or of two.
func TestMisread(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	misread := func(text string, rate float64) string {
		letters := []byte(text)
		for i := range letters {
			if letters[i] != ' ' && rng.Float64() < rate {
				letters[i] = byte('0' + rng.IntN(10))
			}
		}
		return string(letters)
	}
	var b strings.Builder
	for range 40_000 {
		for range 5 {
			b.WriteByte(byte('a' + rng.IntN(26)))
		}
		b.WriteByte(' ')
	}
	for _, tt := range []struct {
		one, other, want float64
	}{{0, .01, .69}, {0, .0025, .91}, {.01, .01, .50}} {
		r := resemblance(misread(b.String(), tt.one), misread(b.String(), tt.other), 4)
		t.Logf("rates %v and %v: resemblance %.2f", tt.one, tt.other, r)
		if math.Abs(r-tt.want) > .01 {
			t.Errorf("rates %v and %v: resemblance %.3f, limits.md says %v", tt.one, tt.other, r, tt.want)
		}
	}
}
