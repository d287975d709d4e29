package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Map has values by id. In JSON it is an object, or, since the names in an object are
// strings, if not all ids are UTF-8 a list:
//
//	{"page 1": ..., "page 2": ...}
//	[{"id": "page 1", "data": ...}, {"id": {"base64": "YYA="}, "data": ...}]
//
// Either is read. An id that comes twice is an error.
type Map[V any] map[string]V

type entry struct {
	ID   *ID             `json:"id"`
	Data json.RawMessage `json:"data"`
}

// MarshalJSON implements json.Marshaler.
func (m Map[V]) MarshalJSON() ([]byte, error) {
	all := slices.Sorted(maps.Keys(m))
	if Valid(all...) {
		return Marshal(map[string]V(m))
	}
	list := make([]entry, len(all))
	for i, id := range all {
		data, err := Marshal(m[id])
		if err != nil {
			return nil, err
		}
		list[i] = entry{(*ID)(&all[i]), data}
	}
	return Marshal(list)
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Map[V]) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		return m.object(data)
	}
	var list []entry
	if err := Decode(data, &list); err != nil {
		return err
	}
	*m = make(Map[V], len(list))
	for _, e := range list {
		if e.ID == nil || e.Data == nil {
			return errors.New("wanted an id and data of each document, got none")
		}
		var v V
		if err := json.Unmarshal(e.Data, &v); err != nil {
			return err
		}
		if err := m.add(string(*e.ID), v); err != nil {
			return err
		}
	}
	return nil
}

// object reads an object, of which encoding/json would change some names, and would take
// the last of several of one name.
func (m *Map[V]) object(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return fmt.Errorf("wanted an object with the documents by their ids, or a list of objects with id and data, got %.40s", data)
	}
	*m = Map[V]{}
	for d.More() {
		before := d.InputOffset()
		if _, err := d.Token(); err != nil {
			return err
		}
		var id ID
		if err := id.UnmarshalJSON(bytes.TrimLeft(data[before:d.InputOffset()], ", \t\r\n")); err != nil {
			return err
		}
		var v V
		if err := d.Decode(&v); err != nil {
			return err
		}
		if err := m.add(string(id), v); err != nil {
			return err
		}
	}
	return nil
}

func (m *Map[V]) add(id string, v V) error {
	if _, twice := (*m)[id]; twice {
		return fmt.Errorf("wanted documents with ids of their own, got %.60q twice", id)
	}
	(*m)[id] = v
	return nil
}
