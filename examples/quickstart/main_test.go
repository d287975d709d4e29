package main

import (
	"log"
	"os"
	"path/filepath"
)

func Example() {
	dir, err := os.MkdirTemp("", "quickstart-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"a.txt": "The quick brown fox jumps over the lazy dog while the cat looks on from the wall, and nobody minds.",
		"b.txt": "THE QUICK BROWN FOX jumps over the lazy dog while the cat looks on from the wall, and nobody minds!",
		"c.txt": "A fox is a small animal of the dog family that lives in woods, fields, parks, villages and large towns.",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	if err := os.Chdir(dir); err != nil {
		log.Fatal(err)
	}
	if err := run(".", "brown fox"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// a.txt
	//     hides b.txt: 100 of 100 lanes agree
	// c.txt
}
