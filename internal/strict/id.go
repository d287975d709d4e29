package strict

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The stored fields in which admission says why it tagged a document, and of which group it is. OfField has the id of the
// document that this one is a near-duplicate of.
const (
	TagField   = "neardup_tag"
	OfField    = "neardup_of"
	GroupField = "neardup_group"
)

// Admits reports whether admission writes the field of that name.
func Admits(name string) bool { return name == TagField || name == OfField || name == GroupField }

// ID is the id of a document, or of what is named as freely: any bytes. In JSON it is a string if it is UTF-8, and else an
// object with its bytes:
//
//	"page 1"
//	{"base64": "YYA="}
//
// No string stands for anything but itself, so no id can be taken for another. A string
// that encoding/json would change as it reads it is an error.
type ID string

type encoded struct {
	Base64 *string `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (id ID) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(id)) {
		return Marshal(string(id))
	}
	text := base64.StdEncoding.EncodeToString([]byte(id))
	return json.Marshal(encoded{&text})
}

// UnmarshalJSON implements json.Unmarshaler.
func (id *ID) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null": // as encoding/json has it
		return nil
	case data[0] == '"':
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		if strings.ContainsRune(text, utf8.RuneError) && !exact(data, text) {
			return IDError(fmt.Sprintf(`wanted a string in UTF-8, or {"base64": "..."} for other bytes, got %.60q`, data))
		}
		*id = ID(text)
		return nil
	case data[0] == '{':
		var e encoded
		if Decode(data, &e) != nil || e.Base64 == nil {
			break
		}
		raw, err := base64.StdEncoding.Strict().DecodeString(*e.Base64)
		if err != nil {
			break
		}
		*id = ID(raw)
		return nil
	default: // as encoding/json says it, which adds the field
		kinds := map[byte]string{'[': "array", 't': "bool", 'f': "bool"}
		return &json.UnmarshalTypeError{Value: cmp.Or(kinds[data[0]], "number"), Type: reflect.TypeFor[ID]()}
	}
	return IDError(fmt.Sprintf(`wanted a string, or {"base64": "..."}, got %.60s`, data))
}

// IDError says what is wrong with an id in JSON.
type IDError string

func (e IDError) Error() string { return string(e) }

// escaped is U+FFFD as JSON escapes it.
var escaped = regexp.MustCompile(`(?i)\\ufffd`)

// exact reports whether text is what a string of JSON says: encoding/json puts U+FFFD also for what is not UTF-8, and for
// half a surrogate pair.
func exact(data []byte, text string) bool {
	data = unescaped(data)
	const replaced = string(utf8.RuneError)
	return strings.Count(text, replaced) == bytes.Count(data, []byte(replaced))+len(escaped.FindAll(data, -1))
}

// IDs returns strings as IDs, nil for nil.
func IDs(all []string) []ID { return convert[ID](all) }

// Strings returns IDs as strings, nil for nil.
func Strings(all []ID) []string { return convert[string](all) }

func convert[T, F ~string](all []F) []T {
	if all == nil {
		return nil
	}
	out := make([]T, len(all))
	for i, s := range all {
		out[i] = T(s)
	}
	return out
}

// Texts is the text of a document in JSON: one value, or a list of several.
type Texts []ID

// UnmarshalJSON implements json.Unmarshaler.
func (t *Texts) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '[', 'n': // null
		return json.Unmarshal(data, (*[]ID)(t))
	case '"', '{':
		*t = make(Texts, 1)
		return json.Unmarshal(data, &(*t)[0])
	}
	return fmt.Errorf("text: wanted a string or a list of strings, got %.40s", data)
}

// Valid reports whether all are UTF-8, so that encoding/json keeps them.
func Valid(all ...string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !utf8.ValidString(s) })
}

// Marshal is json.Marshal without the escapes for HTML, which the caller that marshals the whole
// adds or leaves out.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Kept reports whether json.Marshal made text of strings in UTF-8 alone: for other bytes
// it writes an escape that it writes for nothing else.
func Kept(text []byte) bool {
	return !bytes.Contains(unescaped(text), []byte(`\ufffd`))
}

// unescaped takes out escaped backslashes: each that is left begins another escape.
func unescaped(text []byte) []byte { return bytes.ReplaceAll(text, []byte(`\\`), []byte(" ")) }

// Fields returns the stored fields of a document with what is an id among them as an ID.
// fields is not changed.
func Fields(fields map[string]any) map[string]any {
	of, ok := fields[OfField].(string)
	if !ok || utf8.ValidString(of) {
		return fields
	}
	return with(fields, ID(of))
}

// Unfields undoes Fields after fields went through JSON.
func Unfields(fields map[string]any) map[string]any {
	of, ok := fields[OfField].(map[string]any)
	if !ok {
		return fields
	}
	var id ID
	if text, err := json.Marshal(of); err != nil || id.UnmarshalJSON(text) != nil {
		return fields
	}
	return with(fields, string(id))
}

func with(fields map[string]any, of any) map[string]any {
	out := maps.Clone(fields)
	out[OfField] = of
	return out
}
