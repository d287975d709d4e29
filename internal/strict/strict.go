// Package strict reads JSON of which each member must be known: one that is passed over in silence is an option that
// its author takes to be in force.
package strict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fill reads data into v. With an error, which begins with what, v stays as it was.
func Fill[T any](what string, data []byte, v *T) error {
	var read T
	if err := Decode(data, &read); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	*v = read
	return nil
}

// Decode reads data into v. An unknown member is an error that names it and the known ones. An
// error about a value of the wrong type says what the member has to be, in place of a type of Go.
// The name of a struct that is embedded in v must begin with plain or in
// upper case, and no other member's may.
func Decode(data []byte, v any) error {
	if !utf8.Valid(data) { // of which encoding/json would make something else
		return errors.New("wanted JSON in UTF-8, got other bytes")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	switch n := d.InputOffset(); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("wanted a JSON value, got an end")
	case n == 0: // it is no JSON
		return err
	case err == nil:
		return End(d, data)
	default:
		return cmp.Or(End(d, data), unknown(data[:n], reflect.TypeOf(v), ""), wanted(err))
	}
}

// End returns an error if anything but white space follows the value that d has read of data.
func End(d *json.Decoder, data []byte) error {
	if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return fmt.Errorf("wanted one JSON value, got %.20q after it", rest)
	}
	return nil
}

// unknown returns an error for a member of data that t does not have, nil if there is none. The
// error begins with path. Types that read their own JSON know themselves what they have.
func unknown(data []byte, t reflect.Type, path string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if path != "" && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return stray(data, t, path)
	case reflect.Slice, reflect.Array:
		var elements []json.RawMessage
		if json.Unmarshal(data, &elements) != nil {
			return nil
		}
		for _, e := range elements {
			if err := unknown(e, t.Elem(), path); err != nil {
				return err
			}
		}
	}
	return nil
}

// stray is unknown for a struct.
func stray(data []byte, t reflect.Type, path string) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return nil
	}
	known := Members(t)
	names := slices.Sorted(maps.Keys(known))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) // as encoding/json does
		if i < 0 {
			return fmt.Errorf("%swanted members among %q, got %q", path, names, name)
		}
		if err := unknown(members[name], known[names[i]], path+names[i]+": "); err != nil {
			return err
		}
	}
	return nil
}

// Members returns the members that a struct has in JSON, embedded ones included, with their types.
func Members(t reflect.Type) map[string]reflect.Type {
	known, depth := make(map[string]reflect.Type), make(map[string]int)
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		if tag == "-" || f.Anonymous && name == "" || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if d, again := depth[name]; !again || len(f.Index) < d { // the outer one hides the inner one
			known[name], depth[name] = f.Type, len(f.Index)
		}
	}
	return known
}

// wanted says what a member of JSON has to be. Other errors stay as they are.
func wanted(err error) error {
	t := new(json.UnmarshalTypeError)
	if !errors.As(err, &t) {
		return err
	}
	var want string
	switch t.Type.Kind() {
	case reflect.Bool:
		want = "true or false"
	case reflect.String:
		want = "a string"
	case reflect.Slice, reflect.Array:
		want = "a list"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		want = "a whole number"
	case reflect.Float64:
		want = "a number"
	default:
		want = "an object"
	}
	got := map[string]string{"bool": "true or false", "string": "a string", "array": "a list", "object": "an object", "number": "a number"}[t.Value]
	if got == "" {
		got = t.Value // such as "number 1.5"
	}
	path := slices.DeleteFunc(strings.Split(t.Field, "."), func(name string) bool {
		return name == "" || strings.HasPrefix(name, "plain") || unicode.IsUpper(rune(name[0])) // an embedded struct, which JSON does not show
	})
	if len(path) == 0 {
		return fmt.Errorf("wanted %s, got %s", want, got)
	}
	return fmt.Errorf("%s: wanted %s, got %s", strings.Join(path, "."), want, got)
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
