// Command releasing builds a release of all modules and tries it: see .ci/release.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"
)

const library = "github.com/neardup/bleve-neardup"

// nested are the modules below the library that others can require, each after those it needs.
var nested = []string{"plugin/prometheus", "plugin/cluster", "plugin/cluster/nats", "plugin/batch", "examples"}

// imported is what a user builds of a module: the packages below it where it has none itself.
func imported(dir string) string {
	if dir == "" || dir == "examples" {
		return path.Join(library, dir) + "/..."
	}
	return path.Join(library, dir)
}

// platforms are what the command line is built for.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

func main() {
	skip := flag.Bool("skip-tests", false, "do not call .ci/run in the clone")
	flag.Parse()
	if err := run(flag.Arg(0), *skip); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one release as it is built.
type release struct {
	version string
	out     string // what is kept
	clone   string // the repository of the release, in out
	proxy   string // a module proxy of files
	env     []string
}

func run(version string, skipTests bool) error {
	if semver.Canonical(version) != version || version == "" {
		return fmt.Errorf("wanted a version such as v0.1.0, got %q", version)
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	notes, err := checked(root, version)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	out := filepath.Join(root, "dist", version)
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: wanted no such folder, got one", out)
	}
	r := &release{version: version, out: out, clone: filepath.Join(out, "repository"), proxy: filepath.Join(work, "proxy")}
	cache, err := capture(root, nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return err
	}
	modules, proxies, _ := strings.Cut(strings.TrimSpace(cache), "\n")
	r.env = []string{
		"GOMODCACHE=" + filepath.Join(work, "modules"), // this version is in no other cache
		"GOPROXY=file://" + r.proxy + ",file://" + filepath.Join(modules, "cache", "download") + "," + proxies,
		"GONOSUMDB=" + library + "," + library + "/*", "GOPRIVATE=", "GOWORK=off",
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"clone", func() error { return call(root, nil, "git", "clone", "-q", "--no-local", root, r.clone) }},
		{"tests", func() error {
			if skipTests {
				return nil
			}
			return call(r.clone, nil, ".ci/run")
		}},
		{"licences", func() error {
			return call(r.clone, nil, "go", "test", "-count=1", "-run", "Licences", "./analysis/internal/house", "-args", "-modules", "-licences", r.licences())
		}},
		{"modules", r.modules},
		{"tags", r.tag},
		{"try as a user", r.try},
		{"command line", r.build},
		{"notes", func() error { return os.WriteFile(filepath.Join(out, "notes.md"), []byte(notes), 0o666) }},
	} {
		fmt.Println("==", step.what)
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	fmt.Printf("\nNothing is published. To publish:\n\n    git fetch %s 'refs/tags/*:refs/tags/*' && git push origin --tags\n", r.clone)
	return nil
}

// checked returns what CHANGELOG.md says of a version, if the repository is ready for it.
func checked(root, version string) (notes string, err error) {
	changed, err := capture(root, nil, "git", "status", "--porcelain")
	if err != nil {
		return "", err
	}
	if changed != "" {
		return "", fmt.Errorf("wanted everything committed, got\n%s", changed)
	}
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	number := strings.TrimPrefix(version, "v")
	head := regexp.MustCompile(`(?m)^## \[?` + regexp.QuoteMeta(number) + `\]? - \d{4}-\d\d-\d\d$`)
	at := head.FindIndex(text)
	if at == nil {
		return "", fmt.Errorf("CHANGELOG.md: wanted a section \"## %s - YEAR-MONTH-DAY\", got none", number)
	}
	notes, _, _ = strings.Cut(string(text[at[1]:]), "\n## ")
	if strings.TrimSpace(notes) == "" {
		return "", fmt.Errorf("CHANGELOG.md: wanted changes under %s, got none", number)
	}
	return strings.TrimSpace(notes) + "\n", nil
}

// modules makes each nested module require the others at the version, and puts all into the proxy.
func (r *release) modules() error {
	if err := r.publish(""); err != nil {
		return err
	}
	for i, dir := range nested {
		at := filepath.Join(r.clone, dir)
		edit := []string{"mod", "edit", "-dropreplace=" + library, "-require=" + library + "@" + r.version}
		for _, other := range nested[:i] {
			module := library + "/" + other
			needs, err := capture(at, r.env, "go", "mod", "edit", "-json")
			if err != nil {
				return err
			}
			edit = append(edit, "-dropreplace="+module)
			if strings.Contains(needs, `"`+module+`"`) {
				edit = append(edit, "-require="+module+"@"+r.version)
			}
		}
		if err := call(at, r.env, "go", edit...); err != nil {
			return err
		}
		if err := call(at, r.env, "go", "mod", "tidy"); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		if err := r.publish(dir); err != nil {
			return err
		}
	}
	return nil
}

// tag commits what modules changed, and tags each module.
func (r *release) tag() error {
	if err := call(r.clone, nil, "git", "commit", "-qam", "Release "+r.version+"\n\nNested modules require this version."); err != nil {
		return err
	}
	for _, dir := range append([]string{""}, nested...) {
		name := path.Join(dir, r.version)
		if err := call(r.clone, nil, "git", "tag", "-a", "-m", name, name); err != nil {
			return err
		}
	}
	return nil
}

// try fetches each module into an empty folder and builds it there.
func (r *release) try() error {
	for _, dir := range append([]string{""}, nested...) {
		module := path.Join(library, dir)
		empty, err := os.MkdirTemp("", "user")
		if err != nil {
			return err
		}
		for _, args := range [][]string{
			{"mod", "init", "example"},
			{"get", module + "@" + r.version},
			{"build", "-mod=mod", imported(dir)},
		} {
			if err := call(empty, r.env, "go", args...); err != nil {
				return fmt.Errorf("%s: %w", module, err)
			}
		}
		fmt.Println(module)
	}
	bin, err := os.MkdirTemp("", "bin")
	if err != nil {
		return err
	}
	if err := call(bin, append(r.env, "GOBIN="+bin), "go", "install", library+"/examples/neardup@"+r.version); err != nil {
		return err
	}
	return r.prints(filepath.Join(bin, "neardup"))
}

// prints checks that the command line says which version it is.
func (r *release) prints(program string) error {
	said, err := capture("", nil, program, "--version")
	if err != nil {
		return err
	}
	if fields := strings.Fields(said); len(fields) < 2 || fields[1] != r.version {
		return fmt.Errorf("neardup --version: wanted %s, got\n%s", r.version, said)
	}
	return nil
}

// build builds the command line for all platforms.
func (r *release) build() error {
	var sums strings.Builder
	for _, platform := range platforms {
		system, processor, _ := strings.Cut(platform, "/")
		dir, err := os.MkdirTemp("", "build")
		if err != nil {
			return err
		}
		program := filepath.Join(dir, "neardup")
		if system == "windows" {
			program += ".exe"
		}
		env := append(r.env, "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
		if err := call(filepath.Join(r.clone, "examples"), env, "go", "build", "-trimpath", "-buildvcs=true", "-o", program, "./neardup"); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		if host, err := capture("", nil, "go", "env", "GOOS", "GOARCH"); err == nil && host == system+"\n"+processor+"\n" {
			if err := r.prints(program); err != nil {
				return err
			}
		}
		archive := strings.Join([]string{"neardup", r.version[1:], system, processor}, "_") + ".tar.gz"
		if system == "windows" {
			archive = strings.TrimSuffix(archive, ".tar.gz") + ".zip"
		}
		sum, err := r.pack(filepath.Join(r.out, archive), program)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sum, archive)
		fmt.Println(archive)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

func command(dir string, env []string, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir, c.Env, c.Stderr = dir, append(os.Environ(), env...), os.Stderr
	return c
}

// call runs a command, and shows what it prints.
func call(dir string, env []string, name string, args ...string) error {
	c := command(dir, env, name, args...)
	c.Stdout = os.Stdout
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, cmp.Or(strings.Join(args, " "), "-"), err)
	}
	return nil
}

// capture runs a command, and returns what it prints.
func capture(dir string, env []string, name string, args ...string) (string, error) {
	out, err := command(dir, env, name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return string(out), nil
}
