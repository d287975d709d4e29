package serve

import (
	"regexp/syntax"
	"slices"
)

// bleve compiles a regexp, and a wildcard as one, to a deterministic automaton of at most
// 10,000 states, and nothing stops it: .*a.{10} takes it seconds. What that will cost
// is found by making the automaton's states here first, up to a limit. Here a step is a
// letter; there it is a byte, which takes more states, but in proportion.

// automaton prices the automaton of a regexp: for each of its states, and each letter
// that is told apart there, as many as ranges of letters lead out of the next state. Once
// that is more than most, it goes no further. What is no regexp is 0: bleve will say so.
func automaton(pattern string, most int) int {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	if len(prog.Inst) > most {
		return len(prog.Inst)
	}
	d := determinizer{prog: prog, known: map[string]bool{}}
	d.add([]uint32{uint32(prog.Start)})
	for n := 0; n < len(d.states) && d.price <= most; n++ {
		d.leave(d.states[n], most)
	}
	return d.price
}

// determinizer finds the states of an automaton.
type determinizer struct {
	prog   *syntax.Prog
	states [][]uint32 // the instructions that read a letter, in order
	known  map[string]bool
	price  int
}

// add makes the state that is in the instructions, and in what they lead to without a
// letter, one of the automaton's.
func (d *determinizer) add(at []uint32) {
	var state []uint32
	seen := map[uint32]bool{}
	for len(at) > 0 {
		pc := at[len(at)-1]
		at = at[:len(at)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch i := &d.prog.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			at = append(at, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			at = append(at, i.Out)
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			state = append(state, pc)
		}
	}
	slices.Sort(state)
	for _, pc := range state {
		d.price += 1 + len(d.prog.Inst[pc].Rune)/2
	}
	key := make([]byte, 0, 4*len(state))
	for _, pc := range state {
		key = append(key, byte(pc), byte(pc>>8), byte(pc>>16), byte(pc>>24))
	}
	if d.known[string(key)] || len(state) == 0 {
		return
	}
	d.known[string(key)] = true
	d.states = append(d.states, state)
}

// leave adds the states that follow a state, until the price is more than most.
func (d *determinizer) leave(state []uint32, most int) {
	// Between two borders of ranges all letters lead to the same.
	var borders []rune
	for _, pc := range state {
		i := &d.prog.Inst[pc]
		switch i.Op {
		case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			borders = append(borders, 0, '\n', '\n'+1)
		default:
			for n := 0; n < len(i.Rune); n += 2 {
				to := i.Rune[n]
				if n+1 < len(i.Rune) {
					to = i.Rune[n+1]
				}
				borders = append(borders, i.Rune[n], to+1)
			}
		}
	}
	slices.Sort(borders)
	for _, letter := range slices.Compact(borders) {
		var next []uint32
		for _, pc := range state {
			if i := &d.prog.Inst[pc]; i.MatchRune(letter) {
				next = append(next, i.Out)
			}
		}
		if d.add(next); d.price > most {
			return
		}
	}
}
