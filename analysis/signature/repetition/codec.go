package repetition

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/neardup/bleve-neardup/analysis/signature/codec"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
)

const version = 1

// numbers returns the counts in the order in which they are stored.
func (c *Counts) numbers() []*uint64 {
	all := []*uint64{
		&c.Bytes, &c.Tokens, &c.TokenBytes, &c.TopToken, &c.Shingles, &c.DistinctShingles,
		&c.Lines, &c.DuplicateLines, &c.DuplicateLineBytes,
		&c.Paragraphs, &c.DuplicateParagraphs, &c.DuplicateParagraphBytes,
	}
	for i := range c.TopGrams {
		all = append(all, &c.TopGrams[i])
	}
	for i := range c.DuplicateGrams {
		all = append(all, &c.DuplicateGrams[i])
	}
	return all
}

// AppendBinary appends the stored form of c to dst: the form of package codec, with the
// width and the counts in the order of the struct, all as varints: 40 to 60 bytes.
func (c Counts) AppendBinary(dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = codec.Begin(dst, codec.Repetition, version, codec.ID(codec.Repetition, uint64(c.Width)))
	dst = binary.AppendUvarint(dst, uint64(c.Width))
	for _, n := range c.numbers() {
		dst = binary.AppendUvarint(dst, *n)
	}
	return codec.Seal(dst, begin), nil
}

// MarshalBinary returns the stored form of c.
func (c Counts) MarshalBinary() ([]byte, error) { return c.AppendBinary(nil) }

// UnmarshalBinary reads a stored form. It returns an error that wraps codec.ErrVersion or
// codec.ErrMalformed, and then leaves c unchanged.
func (c *Counts) UnmarshalBinary(data []byte) error {
	r := codec.Open(data, codec.Repetition, version)
	read := Counts{Width: int(r.Uvarint("width", 0, shingle.MaxWidth))}
	for _, n := range read.numbers() {
		*n = r.Uvarint("counts", 0, math.MaxUint64)
	}
	r.Check(r.Params == codec.ID(codec.Repetition, uint64(read.Width)), "parameters", "those of the width")
	r.Check(read.DistinctShingles <= read.Shingles, "distinct shingles", "no more than shingles")
	r.Check(read.TopToken <= read.Tokens, "top token", "no more than tokens")
	r.Check(read.DuplicateLines <= read.Lines, "duplicate lines", "no more than lines")
	r.Check(read.DuplicateParagraphs <= read.Paragraphs, "duplicate paragraphs", "no more than paragraphs")
	if err := r.Close(); err != nil {
		return err
	}
	*c = read
	return nil
}

var textEncoding = base64.RawStdEncoding.Strict()

// Stored returns the stored form as text, for fields that travel between programs as JSON:
// unpadded standard base64. (Counts have no MarshalText, since their JSON would then be
// that text.)
func (c Counts) Stored() string {
	data, _ := c.MarshalBinary()
	return textEncoding.EncodeToString(data)
}

// Parse reads a text that Stored returned. Its errors wrap codec.ErrVersion or
// codec.ErrMalformed.
func Parse(stored string) (c Counts, err error) {
	data, err := textEncoding.DecodeString(stored)
	if err != nil {
		return c, fmt.Errorf("repetition: %w: %w", err, codec.ErrMalformed)
	}
	if len(stored) != textEncoding.EncodedLen(len(data)) {
		return c, fmt.Errorf("repetition: wanted base64 without line breaks: %w", codec.ErrMalformed)
	}
	err = c.UnmarshalBinary(data)
	return c, err
}
