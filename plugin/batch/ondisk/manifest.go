package ondisk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// manifestVersion is the version of all files in a directory.
const manifestVersion = 1

// manifest says how far a job is. It replaces the previous manifest in one step, once
// everything that it describes is on disk. Anything on disk beyond that is ignored.
type manifest struct {
	Version   int            `json:"version"`
	Params    uint32         `json:"params"` // the Params.ID; a seed can be secret
	Rule      signature.Rule `json:"rule"`
	By        By             `json:"by"`
	Documents uint64         `json:"documents"` // in the store
	IDBytes   int64          `json:"id_bytes"`  // size of their ids
	Grouped   bool           `json:"grouped"`   // the groups are written
	Groups    uint64         `json:"groups"`
	Dropped   uint64         `json:"dropped"` // documents that are not to be kept
}

func (j *Job) path(name string) string { return filepath.Join(j.dir, name) }

// readManifest reads the manifest, if there is one.
func (j *Job) readManifest() (found bool, err error) {
	path := j.path("manifest.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(text, &j.m); err != nil {
		return false, fmt.Errorf("ondisk: %s: %w", path, err)
	}
	if j.m.Version != manifestVersion {
		return false, fmt.Errorf("ondisk: %s: version: wanted %d, got %d", path, manifestVersion, j.m.Version)
	}
	return true, nil
}

// commit writes the manifest.
func (j *Job) commit() error {
	if err := j.step(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(&j.m, "", "  ")
	if err != nil {
		return err
	}
	err = j.writeFile(j.path("manifest.json"), func(w *bufio.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	if err := j.syncDir(); err != nil {
		return err
	}
	return j.step()
}

// writeFile writes a file that exists either completely or not at all. After a crash it
// exists if commit was called after it.
func (j *Job) writeFile(path string, write func(w *bufio.Writer) error) (err error) {
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = errors.Join(write(w), w.Flush())
	if err == nil {
		err = j.sync(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// syncDir makes renames in the directory durable. Windows has no such call, and denies access.
func (j *Job) syncDir() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(j.dir)
	if err != nil {
		return err
	}
	return errors.Join(j.sync(d), d.Close())
}

// sync writes a file to disk. Tests of hundreds of small jobs skip it.
func (j *Job) sync(f *os.File) error {
	if j.small > 0 {
		return nil
	}
	return f.Sync()
}
