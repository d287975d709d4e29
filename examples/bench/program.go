package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// program is one program, as the file of programs has it. In commands {folder} is the folder of
// that file, {work} one for what is built, and {threshold} the resemblance that is asked for.
type program struct {
	Name    string     `json:"name"`
	About   string     `json:"about"`
	Check   []string   `json:"check,omitempty"`   // fails where the program cannot run
	Install string     `json:"install,omitempty"` // what to do then
	Build   [][]string `json:"build,omitempty"`
	Version []string   `json:"version,omitempty"` // prints it
	Command []string   `json:"command"`

	missing string // why it cannot run
	version string
}

// readPrograms reads the file of programs.
func readPrograms(path string) (all []*program, err error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		at, _ := filepath.Abs(path)
		return nil, fmt.Errorf("--programs: wanted a file, got none at %s", at)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	seen := map[string]bool{}
	for _, p := range all {
		if p.Name == "" || len(p.Command) == 0 || seen[p.Name] {
			return nil, fmt.Errorf("%s: wanted programs with a command, each with a name of its own, got %q with %q", path, p.Name, p.Command)
		}
		seen[p.Name] = true
	}
	return all, nil
}

// places are what stands in the braces of commands.
type places struct {
	folder, work string
	threshold    float64
	built        map[string]error // by command, so that programs can share what is built
}

func (w *places) words(command []string) []string {
	r := strings.NewReplacer("{folder}", w.folder, "{work}", w.work, "{threshold}", strconv.FormatFloat(w.threshold, 'g', -1, 64))
	out := make([]string, len(command))
	for i, word := range command {
		out[i] = r.Replace(word)
	}
	return out
}

// output runs a command and returns the first line that it prints. The error has the last line.
func (w *places) output(ctx context.Context, command []string) (string, error) {
	words := w.words(command)
	out, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", words[0], err, lines[len(lines)-1])
	}
	return lines[0], nil
}

// prepare checks and builds a program, and asks for its version. What goes wrong makes it a missing one.
func (p *program) prepare(ctx context.Context, w *places) {
	if len(p.Check) > 0 {
		if _, err := w.output(ctx, p.Check); err != nil {
			p.missing = "not installed: " + p.Install
			return
		}
	}
	for _, command := range p.Build {
		name := strings.Join(command, "\x00")
		err, known := w.built[name]
		if !known {
			_, err = w.output(ctx, command)
			w.built[name] = err
		}
		if err != nil {
			p.missing = "cannot be built: " + err.Error()
			return
		}
	}
	if len(p.Version) > 0 {
		var err error
		if p.version, err = w.output(ctx, p.Version); err != nil {
			p.missing = "does not tell its version: " + err.Error()
			return
		}
	}
}

// chosen are the programs that the command line names, all if it names none.
func chosen(all []*program, names []string) (some []*program, err error) {
	if names == nil {
		return all, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(p *program) bool { return p.Name == name })
		if i < 0 {
			var known []string
			for _, p := range all {
				known = append(known, p.Name)
			}
			return nil, fmt.Errorf("--program: wanted one of %s, got %q", strings.Join(known, ", "), name)
		}
		some = append(some, all[i])
	}
	return some, nil
}
