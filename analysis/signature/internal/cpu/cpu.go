//go:build !amd64 || purego

// Package cpu tells which instructions the processor has, for those packages that
// have a piece of assembly beside the same in Go.
package cpu
