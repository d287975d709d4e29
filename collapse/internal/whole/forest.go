package whole

// forest joins numbers from 0 on to trees.
type forest []uint32

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = uint32(i)
	}
	return f
}

// root returns the number that stands for all that are joined with i.
func (f forest) root(i int) int {
	for f[i] != uint32(i) {
		f[i] = f[f[i]]
		i = int(f[i])
	}
	return i
}

// meet joins i with what was in the same place before.
func meet[K comparable](f forest, places map[K]int, place K, i int) {
	if before, ok := places[place]; ok {
		f[f.root(i)] = uint32(f.root(before))
		return
	}
	places[place] = i
}

// sizes returns how many are joined, by the number that stands for them.
func (f forest) sizes() []int {
	size := make([]int, len(f))
	for i := range f {
		size[f.root(i)]++
	}
	return size
}
