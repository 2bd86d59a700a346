package endtoend

import (
	"archive/zip"
	"bytes"
	"cmp"
	"debug/elf"
	"debug/macho"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// Wheels are at most so many bytes: 40 and 60 MiB.
const (
	mostWheel = 40 << 20
	mostKafka = 60 << 20
)

// TestWheel makes the wheels of this machine twice, from two folders, installs them where there is neither Go nor the
// checkout, and runs what pipelines/python/README.md shows, and the notebook on posts of Stack Exchange.
func TestWheel(t *testing.T) {
	testkit.Deep(t, "distribution")
	t.Parallel()
	folder := t.TempDir()
	run(t, folder, fmt.Sprintf(`
export PRIVPIPE_PLATFORMS=%s/%s
git clone -q %q one; git clone -q one two
for checkout in one two; do $checkout/pipelines/install/wheel.sh $checkout.made; done
diff -r one.made two.made`, runtime.GOOS, runtime.GOARCH, root))
	run(t, folder, `
python3 -m venv venv
export PIP_DISABLE_PIP_VERSION_CHECK=1
venv/bin/pip install -q --find-links one.made 'privpipe[progress]' 'scikit-learn<1.8' nbconvert ipykernel
comments "$(go env GOROOT)/src/net" >comments.jsonl`)
	block := regexp.MustCompile("(?s)```python\n(.*?)```").FindStringSubmatch(read(t, "pipelines/python/README.md"))
	if block == nil {
		t.Fatal("README.md has no Python")
	}
	write(t, folder, "readme.py", `
import pandas
frame = pandas.read_json("comments.jsonl", lines=True).rename(columns={"text": "body"})
frame["subject"], frame["customer_id"], texts = None, [f"c{len(text)}" for text in frame.body], frame.body[:20]
`+strings.ReplaceAll(block[1], "topics=20", "topics=2, rounds=3, force=True")+`
assert 0.95 < run.epsilon <= 1 and run.report["unit"] == "user", run.report
assert run.topics.shape == (2, 4) and run.transform(texts).shape == run.sklearn().transform(texts).shape == (20, 2)
assert not list(run.private.glob("input*"))
print(run._repr_html_())`)
	machine := func(script string) string {
		return run(t, folder, fmt.Sprintf("exec env -i HOME=%q PATH=%[1]q/venv/bin:/usr/bin:/bin bash -euo pipefail "+
			"<<'END'\n%s\nEND", folder, script))
	}
	if got := machine("! type -P go; python readme.py"); !strings.Contains(got, "<p>2 topics, ε = ") {
		t.Errorf("the example printed %s", got)
	}
	stages := func() string { return machine("privpipe tokenize --version; privpipe path") }
	if got := stages(); !strings.Contains(got, "/privpipe/installation/libexec/") {
		t.Errorf("without Kafka: %s", got)
	}
	run(t, folder, "venv/bin/pip install -q --disable-pip-version-check --find-links one.made 'privpipe[kafka]'")
	if got := stages(); !strings.Contains(got, "/privpipe_kafka/stages") {
		t.Errorf("with Kafka: %s", got)
	}
	machine("python readme.py")
	decompress(t, shared(t, "data/stackexchange-small/stackexchange.jsonl.zst"), filepath.Join(folder, "posts.jsonl"))
	machine(fmt.Sprintf("cp %q/pipelines/python/posts.ipynb .; python -m nbconvert --to html --execute posts.ipynb",
		root))
	if got := string(readFile(t, filepath.Join(folder, "posts.html"))); strings.Count(got, "cardano") < 3 {
		t.Error("the executed notebook names no topic of Cardano")
	}
}

// TestWheels makes the wheels of all platforms, and looks at the files inside: this machine cannot run most of them.
func TestWheels(t *testing.T) {
	testkit.Deep(t, "distribution")
	t.Parallel()
	folder := t.TempDir()
	run(t, folder, fmt.Sprintf("git clone -q %q one; one/pipelines/install/wheel.sh made", root))
	stage := regexp.MustCompile(`/(stages|libexec/privpipe)/[a-z]+$`)
	wheels, err := filepath.Glob(filepath.Join(folder, "made/*.whl"))
	if err != nil || len(wheels) != 8 {
		t.Fatalf("%v %v, want 8 wheels", wheels, err)
	}
	for _, wheel := range wheels {
		archive, err := zip.OpenReader(wheel)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		most, stages := int64(mostWheel), 0
		if strings.Contains(wheel, "privpipe_kafka") {
			most = mostKafka
		}
		var size int64
		for _, file := range archive.File {
			size += int64(file.CompressedSize64)
			in, err := file.Open()
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(in) // checks the CRC
			if err != nil {
				t.Fatalf("%s: %s: %v", wheel, file.Name, err)
			}
			if !stage.MatchString(file.Name) {
				continue
			}
			stages++
			if got := platform(content); !strings.Contains(wheel, got) || file.Mode()&0o111 != 0o111 {
				t.Errorf("%s: %s is for %s, mode %v", filepath.Base(wheel), file.Name, got, file.Mode())
			}
		}
		if stages < 8 || size > most {
			t.Errorf("%s: %d stages in %d bytes, want at least 8 in at most %d", wheel, stages, size, most)
		}
		t.Logf("%.1f MB %s", float64(size)/1e6, filepath.Base(wheel))
	}
}

// platform returns a part of the name of a wheel that may have this program.
func platform(program []byte) string {
	elfs := map[elf.Machine]string{elf.EM_X86_64: "linux_2_17_x86_64", elf.EM_AARCH64: "linux_2_17_aarch64"}
	machos := map[macho.Cpu]string{macho.CpuAmd64: "macosx_12_0_x86_64", macho.CpuArm64: "macosx_12_0_arm64"}
	name := ""
	if file, err := elf.NewFile(bytes.NewReader(program)); err == nil {
		name = elfs[file.Machine]
	} else if file, err := macho.NewFile(bytes.NewReader(program)); err == nil {
		name = machos[file.Cpu]
	}
	return cmp.Or(name, "no known platform")
}
