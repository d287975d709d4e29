//go:build !amd64 || purego

package token

func (s *Scanner) hashBlocks(dst []uint64) (n, first int, odd uint64) { return s.hashBlocksGo(dst) }

type lists struct{}

func (s *Scanner) words(dst []uint64) int { return s.byBlock(dst) }
