package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// publish puts the module of a folder of the clone into the proxy, in the layout of the GOPROXY protocol.
func (r *release) publish(dir string) (err error) {
	at := filepath.Join(r.clone, dir)
	version := module.Version{Path: path.Join(library, dir), Version: r.version}
	to := filepath.Join(r.proxy, version.Path, "@v")
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": r.version, "Time": time.Now().UTC().Format(time.RFC3339)})
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"list": []byte(r.version + "\n"), r.version + ".mod": mod, r.version + ".info": info} {
		if err := os.WriteFile(filepath.Join(to, name), data, 0o666); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(to, r.version+".zip"))
	if err != nil {
		return err
	}
	return errors.Join(modzip.CreateFromDir(f, version, at), f.Close())
}

// licences is the list of the licences of all that is linked.
func (r *release) licences() string { return filepath.Join(r.out, "licences.md") }

// pack writes an archive of a program, the licences and the README, and returns its SHA-256.
func (r *release) pack(archive, program string) ([]byte, error) {
	f, err := os.Create(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	to := io.MultiWriter(f, sum)
	add, closing := tarred(to)
	if strings.HasSuffix(archive, ".zip") {
		add, closing = zipped(to)
	}
	for _, name := range []string{program, filepath.Join(r.clone, "LICENSE"), r.licences(), filepath.Join(r.clone, "README.md")} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		mode := os.FileMode(0o644)
		if name == program {
			mode = 0o755
		}
		if err := add(filepath.Base(name), mode, data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(closing(), f.Close()); err != nil {
		return nil, err
	}
	return sum.Sum(nil), nil
}

// tarred and zipped return functions that add a file to an archive, and that end it. Files carry no
// time, so that equal files make equal archives.
func tarred(to io.Writer) (add func(name string, mode os.FileMode, data []byte) error, closing func() error) {
	compressed := gzip.NewWriter(to)
	w := tar.NewWriter(compressed)
	return func(name string, mode os.FileMode, data []byte) error {
			if err := w.WriteHeader(&tar.Header{Name: name, Mode: int64(mode), Size: int64(len(data))}); err != nil {
				return err
			}
			_, err := w.Write(data)
			return err
		}, func() error {
			return errors.Join(w.Close(), compressed.Close())
		}
}

func zipped(to io.Writer) (add func(name string, mode os.FileMode, data []byte) error, closing func() error) {
	w := zip.NewWriter(to)
	return func(name string, mode os.FileMode, data []byte) error {
		head := &zip.FileHeader{Name: name, Method: zip.Deflate}
		head.SetMode(mode)
		file, err := w.CreateHeader(head)
		if err != nil {
			return err
		}
		_, err = file.Write(data)
		return err
	}, w.Close
}
