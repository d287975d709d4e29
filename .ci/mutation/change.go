package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// change is one change of the code.
type change struct {
	at   token.Position // Filename is from the root of the module
	kind string
	code string // the line

	reached map[test]bool // the tests that come by
}

func (c *change) String() string {
	return fmt.Sprintf("%s:%d:%d %s", c.at.Filename, c.at.Line, c.at.Column, c.kind)
}

// The other operator, for each kind of change.
var (
	boundaries = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}
	logical    = map[token.Token]token.Token{token.LAND: token.LOR, token.LOR: token.LAND}
	arithmetic = map[token.Token]token.Token{token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL}
)

// source is a file in which all changes are made at once: each asks at run time whether
// it is the one that is in force.
type source struct {
	name    string // from the root of the module
	text    string
	set     *token.FileSet
	file    *ast.File
	info    *types.Info
	sites   []ast.Node // what can be changed, from left to right, what is outside first
	changes *[]*change
	dropped map[int]bool // numbers of changes that do not compile
	next    int          // number of the next change
}

// find collects what can be changed. A constant must stay one, so declarations of
// constants and lengths of arrays are left out.
func (s *source) find() {
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.ArrayType:
			return n.Len == nil
		case *ast.BinaryExpr:
			if s.binary(n) {
				s.sites = append(s.sites, n)
			}
		case *ast.UnaryExpr:
			if n.Op == token.SUB && s.number(n) != "" {
				s.sites = append(s.sites, n)
			}
		case *ast.IncDecStmt:
			s.sites = append(s.sites, n)
		}
		return true
	})
	sort.SliceStable(s.sites, func(i, j int) bool {
		a, b := s.sites[i], s.sites[j]
		return a.Pos() < b.Pos() || a.Pos() == b.Pos() && a.End() > b.End()
	})
}

func (s *source) binary(n *ast.BinaryExpr) bool {
	switch n.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
		return true
	}
	return arithmetic[n.Op] != 0 && s.number(n) != ""
}

// number is the name of the numeric type of an expression, "" if it has none. That of a type
// which is no basic type is "T".
func (s *source) number(e ast.Expr) string {
	v := s.info.Types[e]
	basic, ok := v.Type.Underlying().(*types.Basic)
	switch {
	case !ok || basic.Info()&types.IsNumeric == 0 || v.Value != nil && v.Value.Kind() == constant.Unknown:
		return ""
	case v.Type == types.Type(basic):
		return types.Default(basic).String()
	}
	return "T"
}

// rewritten is the text with all changes.
func (s *source) rewritten(first int, importPath string) string {
	s.next = first
	end := s.file.Name.End()
	return s.text[:s.offset(end)] + "; import mutant_ \"" + importPath + "\"" + s.render(end, s.file.FileEnd)
}

func (s *source) offset(p token.Pos) int { return s.set.PositionFor(p, false).Offset }

// render is the text between two places, with all changes.
func (s *source) render(from, to token.Pos) string {
	var b strings.Builder
	for _, n := range s.sites {
		if n.Pos() < from || n.End() > to {
			continue
		}
		b.WriteString(s.text[s.offset(from):s.offset(n.Pos())])
		b.WriteString(s.render1(n))
		from = n.End()
	}
	b.WriteString(s.text[s.offset(from):s.offset(to)])
	return b.String()
}

// number of a change, 0 if it was dropped.
func (s *source) add(p token.Pos, kind string) int {
	s.next++
	at := s.set.PositionFor(p, false)
	if len(*s.changes) < s.next {
		line := strings.TrimSpace(strings.Split(s.text, "\n")[at.Line-1])
		at.Filename = s.name
		*s.changes = append(*s.changes, &change{at: at, kind: kind, code: line, reached: map[test]bool{}})
	}
	if s.dropped[s.next] {
		return 0
	}
	return s.next
}

func (s *source) render1(n ast.Node) string {
	switch n := n.(type) {
	case *ast.IncDecStmt:
		k, x := s.add(n.TokPos, "count the other way"), s.inner(n.X)
		if k == 0 {
			return x + n.Tok.String()
		}
		return fmt.Sprintf("%s %c= mutant_.Step(%d, %s)", x, n.Tok.String()[0], k, x)
	case *ast.UnaryExpr:
		k, x := s.add(n.OpPos, "without the sign"), s.inner(n.X)
		if k == 0 {
			return "-" + x
		}
		return fmt.Sprintf("mutant_.Negative(%d, %s)", k, s.as(n, x))
	}
	b := n.(*ast.BinaryExpr)
	if to, ok := arithmetic[b.Op]; ok {
		return s.sum(b, to)
	}
	return s.condition(b)
}

// inner is the text of a part of what is being changed, with its own changes.
func (s *source) inner(n ast.Node) string { return s.render(n.Pos(), n.End()) }

// as is text as a value of the type of a number, which a constant by itself does not have.
func (s *source) as(n ast.Expr, text string) string {
	if name := s.number(n); name != "T" {
		return name + "(" + text + ")"
	}
	return text
}

func (s *source) sum(b *ast.BinaryExpr, to token.Token) string {
	k := s.add(b.OpPos, b.Op.String()+" becomes "+to.String())
	x, y := s.inner(b.X), s.inner(b.Y)
	switch {
	case k == 0:
		return fmt.Sprintf("(%s %s %s)", x, b.Op, y)
	case b.Op == token.REM:
		return fmt.Sprintf("mutant_.Rest(%d, %s, %s)", k, s.as(b, x), s.as(b, y))
	}
	return fmt.Sprintf("mutant_.Sum(%d, %q, %q, %s, %s)", k, b.Op.String(), to.String(), s.as(b, x), s.as(b, y))
}

func (s *source) condition(b *ast.BinaryExpr) string {
	to, other, not := b.Op, 0, 0
	if op, ok := logical[b.Op]; ok {
		to, other = op, s.add(b.OpPos, b.Op.String()+" becomes "+op.String())
	} else {
		if op, ok := boundaries[b.Op]; ok {
			to, other = op, s.add(b.OpPos, b.Op.String()+" becomes "+op.String())
		}
		not = s.add(b.OpPos, "not "+b.Op.String())
	}
	x, y := s.inner(b.X), s.inner(b.Y)
	text := fmt.Sprintf("(%s %s %s)", x, b.Op, y)
	if other != 0 {
		text = fmt.Sprintf("(mutant_.On(%d) && (%s %s %s) || !mutant_.On(%d) && %s)", other, x, to, y, other, text)
	}
	if not != 0 {
		text = fmt.Sprintf("(%s != mutant_.On(%d))", text, not)
	}
	return text
}
