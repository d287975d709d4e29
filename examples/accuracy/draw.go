package main

import (
	"bytes"
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// ink is a colour on white paper, and the one that takes its place in the dark.
type ink struct {
	light color.NRGBA
	dark  string
}

var (
	paper  = ink{color.NRGBA{0xff, 0xff, 0xfe, 0xff}, "#0d1117"}
	black  = ink{color.NRGBA{0x1f, 0x23, 0x28, 0xff}, "#e6edf3"}
	grey   = ink{color.NRGBA{0x6e, 0x77, 0x81, 0xff}, "#9da7b3"}
	faint  = ink{color.NRGBA{0xe1, 0xe4, 0xe8, 0xff}, "#2b313a"}
	silver = ink{color.NRGBA{0xc4, 0xca, 0xd0, 0xff}, "#4a525d"}
	blue   = ink{color.NRGBA{0x00, 0x5c, 0xc5, 0xff}, "#58a6ff"}
	orange = ink{color.NRGBA{0xc2, 0x50, 0x00, 0xff}, "#ff9a4d"}
	green  = ink{color.NRGBA{0x1a, 0x7f, 0x37, 0xff}, "#4ac26b"}
	purple = ink{color.NRGBA{0x8e, 0x44, 0xad, 0xff}, "#c9a0e6"}
	inks   = []ink{paper, black, grey, faint, silver, blue, orange, green, purple}
)

// hex is how the SVG writer writes the colour.
func (i ink) hex() string { return fmt.Sprintf("#%02X%02X%02X", i.light.R, i.light.G, i.light.B) }

// series is a line, or dots if it has no width, with a label of its own beside it
// instead of a legend.
type series struct {
	points plotter.XYs
	ink    ink
	width  vg.Length
	dots   vg.Length // radius, 0 for none
	dashes []vg.Length

	label          string
	labelInk       *ink    // nil for that of the line
	labelX, labelY float64 // where the label begins, in data
	right          bool    // it ends there instead
}

// picture is a chart.
type picture struct {
	name, title, subtitle string
	x, y                  axis
	series                []series
}

// axis has ticks at the numbers given; it ends with the first and the last.
type axis struct {
	name      string
	ticks     []float64
	labels    []string // of the ticks
	log       bool
	from, end float64 // if they are not the first and last tick
}

// All lengths are in points.
const (
	pictureWidth  = vg.Length(520)
	pictureHeight = vg.Length(330)
	titleHeight   = vg.Length(46)
	margin        = vg.Length(10)
)

func style(size vg.Length, i ink) text.Style {
	return text.Style{
		Color:   i.light,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

// svg draws p.
func (p picture) svg() ([]byte, error) {
	chart := plot.New()
	chart.BackgroundColor = paper.light
	p.x.apply(&chart.X)
	p.y.apply(&chart.Y)
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = faint.light
	chart.Add(grid)
	for _, s := range p.series {
		if err := s.add(chart); err != nil {
			return nil, err
		}
	}
	canvas := vgsvg.New(pictureWidth, pictureHeight)
	c := vgdraw.New(canvas)
	c.SetColor(paper.light)
	c.Fill(c.Rectangle.Path())
	top := vg.Point{X: margin, Y: pictureHeight - 20}
	title := style(13, black)
	title.Font.Weight = 2 // bold
	c.FillText(title, top, p.title)
	c.FillText(style(10, grey), top.Add(vg.Point{Y: -16}), p.subtitle)
	chart.Draw(vgdraw.Crop(c, margin, -margin, margin, -titleHeight))

	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, err
	}
	return p.finish(out.String()), nil
}

func (a axis) apply(to *plot.Axis) {
	ticks := make([]plot.Tick, len(a.ticks))
	for i, v := range a.ticks {
		ticks[i] = plot.Tick{Value: v, Label: a.labels[i]}
	}
	to.Tick.Marker = plot.ConstantTicks(ticks)
	to.Tick.Label.Font = style(10, grey).Font
	to.Tick.Label.Color = grey.light
	to.Tick.Color = faint.light
	to.Tick.Length = 3
	to.Color = faint.light
	to.Padding = 4
	to.Label.Text = a.name
	to.Label.TextStyle.Font = style(10, grey).Font
	to.Label.TextStyle.Color = grey.light
	to.Label.Padding = 4
	to.Min, to.Max = a.ticks[0], a.ticks[len(a.ticks)-1]
	if a.end != 0 {
		to.Min, to.Max = a.from, a.end
	}
	if a.log {
		to.Scale = plot.LogScale{}
	}
}

func (s series) add(chart *plot.Plot) error {
	if s.width > 0 {
		line, err := plotter.NewLine(s.points)
		if err != nil {
			return err
		}
		line.Color, line.Width, line.Dashes = s.ink.light, s.width, s.dashes
		chart.Add(line)
	}
	if s.dots > 0 {
		dots, err := plotter.NewScatter(s.points)
		if err != nil {
			return err
		}
		dots.GlyphStyle = vgdraw.GlyphStyle{Color: s.ink.light, Radius: s.dots, Shape: vgdraw.CircleGlyph{}}
		chart.Add(dots)
	}
	if s.label == "" {
		return nil
	}
	st := style(10, s.ink)
	if s.labelInk != nil {
		st.Color = s.labelInk.light
	}
	st.YAlign = vgdraw.YCenter
	if s.right {
		st.XAlign = vgdraw.XRight
	}
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: s.labelX, Y: s.labelY}}, Labels: []string{s.label}})
	if err != nil {
		return err
	}
	labels.TextStyle[0] = st
	chart.Add(labels)
	return nil
}

// finish adds to the SVG what its writer does not: a title for those who do not
// see, fonts that stand in, and the colours for the dark.
func (p picture) finish(svg string) []byte {
	var css strings.Builder
	for _, i := range inks {
		for _, property := range []string{"fill", "stroke"} {
			fmt.Fprintf(&css, "[style*=\"%s:%s\"]{%s:%s!important}\n", property, i.hex(), property, i.dark)
		}
	}
	head := fmt.Sprintf("<title>%s</title>\n<desc>%s</desc>\n<style>@media (prefers-color-scheme:dark){\n%s}</style>\n<g transform",
		escape(p.title), escape(p.subtitle), css.String())
	svg = strings.Replace(svg, "<svg ", "<svg role=\"img\" ", 1)
	svg = strings.Replace(svg, "<g transform", head, 1)
	return []byte(strings.ReplaceAll(svg, "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
