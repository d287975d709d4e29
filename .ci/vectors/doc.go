// Package vectors tests package collapse with bleve's build tag vectors, on a stand-in for
// faiss (folder faiss) that is slow, exact, and needs nothing but Go:
//
//	go -C .ci/vectors test -tags vectors .
package vectors
