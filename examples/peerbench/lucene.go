package main

import (
	"bufio"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed Lucene.java
var luceneSource []byte

// jars are what Debian's liblucene8-java installs.
var jars = []string{"/usr/share/java/lucene-core-8*.jar", "/usr/share/java/lucene-analyzers-common-8*.jar"}

const luceneInstall = "apt-get install liblucene8-java default-jdk-headless"

// java is a running Lucene.java.
type java struct {
	in  io.Writer
	out *bufio.Reader
}

// ask sends a command and returns the answer.
func (j *java) ask(command string) (string, error) {
	if _, err := fmt.Fprintln(j.in, command); err != nil {
		return "", err
	}
	line, err := j.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("java: %s: %w", command, err)
	}
	return strings.TrimSpace(line), nil
}

func (j *java) number(command string) (float64, error) {
	answer, err := j.ask(command)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(answer, 64)
}

// lucene compiles and starts Lucene.java: MinHashFilter as it is by default, with
// 512 buckets, and with 100. One process serves both.
func lucene(dir string, docs [][]byte) ([]peer, error) {
	path, ok := classPath(jars)
	for _, tool := range []string{"java", "javac"} {
		_, err := exec.LookPath(tool)
		ok = ok && err == nil
	}
	if !ok {
		return []peer{{name: "Lucene's MinHashFilter", missing: luceneInstall}}, nil
	}
	j, stop, err := startJava(dir, path, docs)
	if err != nil {
		return nil, err
	}
	version, err := j.ask("version")
	if err != nil {
		stop()
		return nil, err
	}
	var all []peer
	for _, buckets := range []int{100, 512} {
		command := fmt.Sprintf("pass %d", buckets)
		p := peer{
			name: fmt.Sprintf("Lucene %s MinHashFilter, %d buckets", version, buckets),
			pass: func() error { _, err := j.number(command); return err },
			cpu:  func() (int64, error) { ns, err := j.number("cpu"); return int64(ns), err },
		}
		for range 3 { // the compiler of the JVM has its say
			if p.bytes, err = j.number(command); err != nil {
				stop()
				return nil, err
			}
		}
		if buckets == lanes {
			p.accept = func(pairs, common, union int) (float64, error) {
				return j.number(fmt.Sprintf("accept %d %d %d", pairs, common, union))
			}
		}
		all = append(all, p)
	}
	all[0].stop = stop
	return all, nil
}

// classPath joins the first file that each pattern names.
func classPath(patterns []string) (path string, ok bool) {
	var files []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			return "", false
		}
		files = append(files, found[0])
	}
	return strings.Join(files, ":"), true
}

func startJava(dir, path string, docs [][]byte) (*java, func(), error) {
	source := filepath.Join(dir, "Lucene.java")
	if err := os.WriteFile(source, luceneSource, 0o644); err != nil {
		return nil, nil, err
	}
	if out, err := exec.Command("javac", "-cp", path, "-d", dir, source).CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("javac: %w: %s", err, out)
	}
	var packed []byte
	for _, d := range docs {
		packed = append(binary.BigEndian.AppendUint32(packed, uint32(len(d))), d...)
	}
	file := filepath.Join(dir, "docs")
	if err := os.WriteFile(file, packed, 0o644); err != nil {
		return nil, nil, err
	}
	cmd := exec.Command("java", "-XX:+UseSerialGC", "-Xmx1g", "-cp", dir+":"+path, "Lucene", file)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop := func() {
		in.Close() // ends it
		cmd.Wait()
	}
	return &java{in, bufio.NewReader(out)}, stop, nil
}
