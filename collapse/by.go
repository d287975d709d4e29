package collapse

// By folds hits that have equal values of a field, for example the pages of a host or the offers
// of a product, as other search engines collapse by a key. Options.Visible is then the number of
// hits of each key that are shown. By works on any bleve index, and needs no signatures unless
// Or is set.
//
// The values of a hit are its doc values, the terms by which bleve sorts; if an index has no
// terms of the field, they are its stored values. Members of an alias that are neither local nor
// of package plugin/cluster/shards give stored values only, in which a date is a string. By is for fields
// of keywords, numbers, booleans and dates; the values of a text field are its words. Two hits
// with several values are equal if they have the same set of values. The values of nested
// documents do not count.
//
// To fold near-duplicates only if they also have equal values, name the field in Options.Within.
type By struct {
	// Field is the field of the key. A hit without a value has no key: see Options.Missing.
	Field string `json:"field"`

	// Or also folds near-duplicates: a hit belongs to the first head that has its key or is its
	// near-duplicate. A hit without a key then belongs to a near-duplicate head, or is a head.
	Or bool `json:"or,omitempty"`

	// Most is how many heads can have the same key, 1 if 0. More than 1 needs Or. Further hits
	// with the key are members of the first of these heads. With Most 3 a page has at most three
	// results of a host, and no near-duplicates.
	Most int `json:"most,omitempty"`
}
