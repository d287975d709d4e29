//go:build !amd64 || purego

// Package cpu reports which instructions the processor has, for packages that have a piece
// of assembly and the same code in Go.
package cpu
