package signature_test

import (
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

var victim = flag.Bool("collision.victim", false, "TestCollisionWithVictim builds a collision with a text that is given")

// drawer draws shingles, each of four words that no other shingle has. It computes what
// anyone who reads the source can compute: the lane into which a shingle falls, and what
// that lane stores if no other shingle there has a lesser value.
type drawer struct {
	maker *signature.Maker
	n     int
}

func newDrawer(t *testing.T, p signature.Params) *drawer {
	m, err := signature.NewMaker(p)
	if err != nil {
		t.Fatal(err)
	}
	return &drawer{maker: m}
}

func (d *drawer) draw() (text []byte, lane int, stored uint8) {
	d.n++
	text = fmt.Appendf(nil, "a%d b%d c%d d%d", d.n, d.n, d.n, d.n)
	d.maker.Text(text)
	at, value := bits.Mul64(d.maker.Shingles()[0], uint64(signature.DefaultParams().Lanes))
	d.maker.Reset()
	return text, int(at), uint8(value >> 11)
}

// collide fails unless two documents are duplicates under the default seed, and agree only
// by chance under other seeds.
func collide(t *testing.T, a, b [][]byte) {
	t.Helper()
	p, rule := signature.DefaultParams(), signature.Rule{}
	x, y := signature.Of(p, a...), signature.Of(p, b...)
	match, ok := rule.Match(&x, &y)
	if !ok || x.Exact == y.Exact {
		t.Errorf("default seed: %d lanes agree, duplicates %v; want a collision", match.Agree, ok)
	}
	t.Logf("default seed: %d lanes agree", match.Agree)
	rnd := rand.New(rand.NewPCG(18, 19))
	for range 20 {
		p.Seed = rnd.Uint64()
		x, y := signature.Of(p, a...), signature.Of(p, b...)
		if match, ok := rule.Match(&x, &y); ok || match.Agree > 3 {
			t.Errorf("seed %#x: %d lanes agree, duplicates %v", p.Seed, match.Agree, ok)
		}
	}
}

// Two documents of a hundred values, without a word in common, in which all lanes agree: a
// birthday attack, lane by lane, on their 8 bits. A secret seed prevents it.
func TestCollision(t *testing.T) {
	t.Parallel()
	lanes := signature.DefaultParams().Lanes
	d := newDrawer(t, signature.DefaultParams())
	first := make([]map[uint8][]byte, lanes)
	a, b := make([][]byte, lanes), make([][]byte, lanes)
	start := time.Now()
	for left := lanes; left > 0; {
		text, lane, stored := d.draw()
		switch other := first[lane][stored]; {
		case a[lane] != nil:
		case other != nil:
			a[lane], b[lane] = other, text
			left--
		case first[lane] == nil:
			first[lane] = map[uint8][]byte{stored: text}
		default:
			first[lane][stored] = text
		}
	}
	t.Logf("%d shingles were drawn in %v", d.n, time.Since(start))
	collide(t, a, b)
}

// The same against a given text: shingles are drawn until 92 of its lanes are met. It takes
// some seconds:
//
//	go test -v -run CollisionWithVictim ./analysis/signature -collision.victim
func TestCollisionWithVictim(t *testing.T) {
	if !*victim {
		t.Skip("it takes seconds; -collision.victim runs it")
	}
	text := []byte(neartest.Shipped(t)[0].Text)
	p := signature.DefaultParams()
	sig := signature.Of(p, text)
	d := newDrawer(t, p)
	forged, met := make([][]byte, p.Lanes), 0
	start := time.Now()
	for met < 92 {
		value, lane, stored := d.draw()
		if forged[lane] == nil && stored == sig.Sketch.Lane(lane) {
			forged[lane] = value
			met++
		}
	}
	for left := p.Lanes - met; left > 0; { // every lane needs a shingle, or else there is a second round
		if value, lane, _ := d.draw(); forged[lane] == nil {
			forged[lane] = value
			left--
		}
	}
	t.Logf("%d shingles were drawn in %v", d.n, time.Since(start))
	collide(t, [][]byte{text}, forged)
}
