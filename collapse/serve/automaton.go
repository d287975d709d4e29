package serve

import (
	"fmt"
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
func automaton(pattern string, most float64) (price int) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	if float64(len(prog.Inst)) > most {
		return len(prog.Inst)
	}
	var states [][]uint32
	known := map[string]bool{}
	enter := func(at []uint32) {
		state := reading(prog, at)
		for _, pc := range state {
			price += 1 + len(prog.Inst[pc].Rune)/2
		}
		if key := fmt.Sprint(state); len(state) > 0 && !known[key] {
			known[key] = true
			states = append(states, state)
		}
	}
	enter([]uint32{uint32(prog.Start)})
	for n := 0; n < len(states); n++ {
		for _, letter := range letters(prog, states[n]) {
			if float64(price) > most {
				return price
			}
			var next []uint32
			for _, pc := range states[n] {
				if i := &prog.Inst[pc]; i.MatchRune(letter) {
					next = append(next, i.Out)
				}
			}
			enter(next)
		}
	}
	return price
}

// reading returns a state of the automaton: the instructions that read a letter, in order, among some instructions and
// what these lead to without a letter.
func reading(prog *syntax.Prog, at []uint32) (state []uint32) {
	seen := map[uint32]bool{}
	for len(at) > 0 {
		pc := at[len(at)-1]
		at = at[:len(at)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch i := &prog.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			at = append(at, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			at = append(at, i.Out)
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			state = append(state, pc)
		}
	}
	slices.Sort(state)
	return state
}

// letters returns one of all letters that lead to the same: where a range of letters that a state reads begins, and
// after its end.
func letters(prog *syntax.Prog, state []uint32) (borders []rune) {
	for _, pc := range state {
		switch i := &prog.Inst[pc]; i.Op {
		case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			borders = append(borders, 0, '\n', '\n'+1)
		default:
			for pair := range slices.Chunk(i.Rune, 2) { // or a letter alone
				borders = append(borders, pair[0], pair[len(pair)-1]+1)
			}
		}
	}
	slices.Sort(borders)
	return slices.Compact(borders)
}
