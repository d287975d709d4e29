// Package faiss stands in for github.com/blevesearch/go-faiss, which needs a C++ library
// that few machines have. It has what zapx calls, and one kind of index: a list of
// vectors, all of which each search compares. So bleve's searches for vectors run on any
// machine, as slow as they then are, and exact. Whatever an index of clusters does is an
// error.
package faiss

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"encoding/json"
	"errors"
	"math"
	"slices"
)

const (
	MetricInnerProduct = 0
	MetricL2           = 1

	IOFlagMmap         = 1
	IOFlagReadOnly     = 2
	IOFlagReadMmap     = 4
	IOFlagSkipPrefetch = 8
)

var (
	ErrNoUsableGPUDevices = errors.New("faiss: no GPU")
	ErrGPUOutOfMemory     = errors.New("faiss: GPU out of memory")
	errClusters           = errors.New("faiss: this stand-in has no index of clusters")
)

// SetOMPThreads does nothing.
func SetOMPThreads(uint) {}

// RealToBinary keeps the signs of x.
func RealToBinary(x []float32, d int) []uint8 {
	out := make([]uint8, (len(x)+7)/8)
	for i, v := range x {
		if v > 0 {
			out[i/8] |= 1 << (i % 8)
		}
	}
	return out
}

// NormalizeVector makes the length of v 1.
func NormalizeVector(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum > 0 {
		for i := range v {
			v[i] = float32(float64(v[i]) / math.Sqrt(sum))
		}
	}
	return v
}

// Selector chooses among vectors by their ids.
type Selector interface {
	Delete()
	selects(id int64) bool
}

type selector struct {
	ids  map[int64]bool
	bits []byte
	not  bool
}

func (s *selector) Delete() {}

func (s *selector) selects(id int64) bool {
	in := s.ids[id]
	if s.bits != nil {
		in = int(id/8) < len(s.bits) && s.bits[id/8]&(1<<(id%8)) != 0
	}
	return in != s.not
}

func batch(ids []int64, not bool) (Selector, error) {
	s := &selector{ids: make(map[int64]bool, len(ids)), not: not}
	for _, id := range ids {
		s.ids[id] = true
	}
	return s, nil
}

func NewIDSelectorBatch(ids []int64) (Selector, error)    { return batch(ids, false) }
func NewIDSelectorBatchNot(ids []int64) (Selector, error) { return batch(ids, true) }

func NewIDSelectorBitmap(bits []byte) (Selector, error) {
	return &selector{bits: append([]byte{}, bits...)}, nil
}

func NewIDSelectorBitmapNot(bits []byte) (Selector, error) {
	return &selector{bits: append([]byte{}, bits...), not: true}, nil
}

// Index is what an IndexImpl is.
type Index interface{ list() *vectors }

// vectors is all that is stored.
type vectors struct {
	Dims, Metric int
	IDs          []int64
	Data         []float32
}

// IndexImpl is a list of vectors.
type IndexImpl struct{ vectors }

// IndexFactory makes a list, whatever the description asks for.
func IndexFactory(d int, _ string, metric int) (*IndexImpl, error) {
	return &IndexImpl{vectors{Dims: d, Metric: metric}}, nil
}

func WriteIndexIntoBuffer(idx Index) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(idx.list())
	return b.Bytes(), err
}

func ReadIndexFromBuffer(data []byte, _ int) (*IndexImpl, error) {
	idx := new(IndexImpl)
	return idx, gob.NewDecoder(bytes.NewReader(data)).Decode(&idx.vectors)
}

func (x *IndexImpl) list() *vectors            { return &x.vectors }
func (x *IndexImpl) Close()                    {}
func (x *IndexImpl) Size() uint64              { return uint64(4*len(x.Data) + 8*len(x.IDs)) }
func (x *IndexImpl) D() int                    { return x.Dims }
func (x *IndexImpl) CodeSize() (uint64, error) { return uint64(4 * x.Dims), nil }
func (x *IndexImpl) IsTrained() bool           { return true }
func (x *IndexImpl) Ntotal() int64             { return int64(len(x.IDs)) }
func (x *IndexImpl) MetricType() int           { return x.Metric }
func (x *IndexImpl) Train([]float32) error     { return nil }
func (x *IndexImpl) IsIVFIndex() bool          { return false }
func (x *IndexImpl) IsSQIndex() bool           { return false }
func (x *IndexImpl) HasRaBitQ() bool           { return false }

// Add adds vectors, whose ids are their places.
func (x *IndexImpl) Add(data []float32) error {
	for range len(data) / x.Dims {
		x.IDs = append(x.IDs, int64(len(x.IDs)))
	}
	x.Data = append(x.Data, data...)
	return nil
}

func (x *IndexImpl) AddWithIDs(data []float32, ids []int64) error {
	x.IDs, x.Data = append(x.IDs, ids...), append(x.Data, data...)
	return nil
}

func (x *IndexImpl) vector(at int) []float32 { return x.Data[at*x.Dims : (at+1)*x.Dims] }

func (x *IndexImpl) distance(a, b []float32) (sum float32) {
	for i := range a {
		if x.Metric == MetricInnerProduct {
			sum += a[i] * b[i]
		} else {
			sum += (a[i] - b[i]) * (a[i] - b[i])
		}
	}
	return sum
}

// SearchWithOptions compares all vectors; places without one have the id -1.
func (x *IndexImpl) SearchWithOptions(q []float32, k int64, sel Selector, _ json.RawMessage) ([]float32, []int64, error) {
	type near struct {
		id       int64
		distance float32
	}
	var all []near
	for at, id := range x.IDs {
		if sel == nil || sel.selects(id) {
			all = append(all, near{id, x.distance(q, x.vector(at))})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int {
		if x.Metric == MetricInnerProduct {
			a, b = b, a
		}
		return cmp.Compare(a.distance, b.distance)
	})
	distances, ids := make([]float32, k), make([]int64, k)
	for i := range ids {
		if ids[i] = -1; i < len(all) {
			distances[i], ids[i] = all[i].distance, all[i].id
		}
	}
	return distances, ids, nil
}

func (x *IndexImpl) Search(q []float32, k int64) ([]float32, []int64, error) {
	return x.SearchWithOptions(q, k, nil, nil)
}

func (x *IndexImpl) ReconstructBatch(ids []int64, out []float32) ([]float32, error) {
	out = out[:0]
	for _, id := range ids {
		at := slices.Index(x.IDs, id)
		if at < 0 {
			return nil, errors.New("faiss: no vector of that id")
		}
		out = append(out, x.vector(at)...)
	}
	return out, nil
}

func (x *IndexImpl) DistCompute(q []float32, ids []int64) ([]float32, error) {
	var all []float32
	for _, id := range ids {
		all = append(all, x.distance(q, x.vector(slices.Index(x.IDs, id))))
	}
	return all, nil
}

func (x *IndexImpl) MergeFrom(other Index, add int64) error {
	o := other.list()
	for _, id := range o.IDs {
		x.IDs = append(x.IDs, id+add)
	}
	x.Data = append(x.Data, o.Data...)
	return nil
}

// What follows is of indexes of clusters, of bits, and on graphics cards.

func (x *IndexImpl) IVFParams() (nprobe, nlist int) { return 0, 0 }
func (x *IndexImpl) Nlist() int                     { return 0 }
func (x *IndexImpl) SetDirectMap(int) error         { return errClusters }
func (x *IndexImpl) SetNProbe(int32)                {}
func (x *IndexImpl) SetQuantizers(Index) error      { return errClusters }
func (x *IndexImpl) ObtainClusterVectorCountsFromIVFIndex(Selector, int) ([]int64, error) {
	return nil, errClusters
}

func (x *IndexImpl) ObtainClustersWithDistancesFromIVFIndex([]float32, Selector, int64) ([]int64, []float32, error) {
	return nil, nil, errClusters
}

func (x *IndexImpl) ObtainKCentroidCardinalitiesFromIVFIndex(int, bool) ([]uint64, [][]float32, error) {
	return nil, nil, errClusters
}

func (x *IndexImpl) SearchClustersFromIVFIndex([]int64, []float32, int, []float32, int64, Selector, json.RawMessage) ([]float32, []int64, error) {
	return nil, nil, errClusters
}

type BinaryIndex interface{ binary() }

type BinaryIndexImpl struct{}

func BinaryIndexFactory(int, string) (*BinaryIndexImpl, error)        { return nil, errClusters }
func ReadBinaryIndexFromBuffer([]byte, int) (*BinaryIndexImpl, error) { return nil, errClusters }
func WriteBinaryIndexIntoBuffer(BinaryIndex) ([]byte, error)          { return nil, errClusters }
func (b *BinaryIndexImpl) binary()                                    {}
func (b *BinaryIndexImpl) Add([]uint8) error                          { return errClusters }
func (b *BinaryIndexImpl) Train([]uint8) error                        { return errClusters }
func (b *BinaryIndexImpl) Close()                                     {}
func (b *BinaryIndexImpl) D() int                                     { return 0 }
func (b *BinaryIndexImpl) Ntotal() int64                              { return 0 }
func (b *BinaryIndexImpl) Size() uint64                               { return 0 }
func (b *BinaryIndexImpl) CodeSize() (uint64, error)                  { return 0, errClusters }
func (b *BinaryIndexImpl) IsIVFIndex() bool                           { return false }
func (b *BinaryIndexImpl) IVFParams() (nprobe, nlist int)             { return 0, 0 }
func (b *BinaryIndexImpl) SetDirectMap(int) error                     { return errClusters }
func (b *BinaryIndexImpl) SetNProbe(int32)                            {}
func (b *BinaryIndexImpl) SetQuantizers(BinaryIndex) error            { return errClusters }
func (b *BinaryIndexImpl) MergeFrom(BinaryIndex, int64) error         { return errClusters }
func (b *BinaryIndexImpl) SearchWithOptions([]uint8, int64, Selector, json.RawMessage) ([]int32, []int64, error) {
	return nil, nil, errClusters
}

func (b *BinaryIndexImpl) ObtainClusterVectorCountsFromIVFIndex(Selector, int) ([]int64, error) {
	return nil, errClusters
}

func (b *BinaryIndexImpl) ObtainClustersWithDistancesFromIVFIndex([]uint8, Selector, int64) ([]int64, []int32, error) {
	return nil, nil, errClusters
}

func (b *BinaryIndexImpl) ObtainKCentroidCardinalitiesFromIVFIndex(int, bool) ([]uint64, [][]uint8, error) {
	return nil, nil, errClusters
}

func (b *BinaryIndexImpl) SearchClustersFromIVFIndex([]int64, []int32, int, []uint8, int64, Selector, json.RawMessage) ([]int32, []int64, error) {
	return nil, nil, errClusters
}

type GPUIndexImpl struct{}

func CloneToGPU(*IndexImpl) (*GPUIndexImpl, error) { return nil, ErrNoUsableGPUDevices }
func CloneToCPU(*GPUIndexImpl) (*IndexImpl, error) { return nil, ErrNoUsableGPUDevices }
func (g *GPUIndexImpl) Add([]float32) error        { return ErrNoUsableGPUDevices }
func (g *GPUIndexImpl) Train([]float32) error      { return ErrNoUsableGPUDevices }
func (g *GPUIndexImpl) Search([]float32, int64) ([]float32, []int64, error) {
	return nil, nil, ErrNoUsableGPUDevices
}
func (g *GPUIndexImpl) Close()       {}
func (g *GPUIndexImpl) Size() uint64 { return 0 }
