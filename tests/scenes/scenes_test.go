package scenes_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
)

// TestScenes runs every scene on the PromQL engine in this process.
func TestScenes(t *testing.T) {
	for _, file := range scenes.Files(t) {
		t.Run(scenes.NameOf(file), func(t *testing.T) {
			s, err := scenes.Read(file, scenes.Start)
			require.NoError(t, err)
			for _, e := range s.Evaluations {
				t.Run(e.Name, func(t *testing.T) { s.Run(t, e, nil) })
			}
		})
	}
}

// TestScenes_Complete checks that each measure of runs, finding of training health, cause of GPU time, and finding about GPUs, nodes and
// ports that hold up others is worked out in a scene.
func TestScenes_Complete(t *testing.T) {
	inRuns := expected(t, "runs", "eval query")
	measures := named(t, "../../pkg/runs/measures.go", `(?m)^\t\{"(\w+)", "`)
	require.Greater(t, len(measures), 15)
	for _, measure := range measures {
		require.Contains(t, inRuns, `"`+measure+`": `)
	}
	ofTraining := expected(t, "training", "eval query")
	for _, kind := range health.Kinds {
		require.Contains(t, ofTraining, `"finding": "`+string(kind)+`"`)
	}

	ofGPUs := expected(t, "gputime", `eval panel gpucloud-gpu-time "GPUs of the node by cause"`)
	codes := named(t, "../../dashboards/lib/causes.ts", `(?m)^    code: (\d+),$`)
	require.Len(t, codes, 9)
	for _, code := range codes {
		require.Regexp(t, `\} (\d+(x\d+)? )*`+code+`(x\d+)?( |\n)`, ofGPUs)
	}
	slow := expected(t, "stragglers", `eval panel gpucloud-stragglers "GPUs slower than their peers, by clock and heat" `)
	reasons := named(t, "../../dashboards/lib/stragglers.ts", `(?m)^  '?([\w ]+)'?: \{\n    reason: `)
	require.Len(t, reasons, 4)
	for _, reason := range reasons {
		require.Contains(t, slow, `cause="`+reason+`"} 0.`)
	}
	const above0 = `\} (0\.\d|[1-9])`
	for _, panel := range []string{
		`stragglers "Nodes at a lower clock than their node pool"`,
		`network "Worst ports" with`,
		`network "Worst ports" B`,
		`network "Worst ports" D`,
	} {
		require.Regexp(t, above0, expected(t, "stragglers", "eval panel gpucloud-"+panel), panel)
	}
}

// named are the names that a file of source has, by a pattern with one group.
func named(t *testing.T, file, pattern string) (names []string) {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(source), -1) {
		names = append(names, found[1])
	}
	return names
}

// expected is what must come out of all evaluations of a folder whose lines begin so.
func expected(t *testing.T, folder, evaluation string) string {
	t.Helper()
	var all strings.Builder
	for _, file := range scenes.Files(t) {
		if filepath.Base(filepath.Dir(file)) != folder {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, part := range strings.Split(string(text), "\neval ") {
			if !strings.HasPrefix("eval "+part, evaluation) {
				continue
			}
			_, results, isSaved := strings.Cut(part, "  expect\n")
			if !isSaved {
				_, results, _ = strings.Cut(part, "\n")
			}
			results, _, _ = strings.Cut(results, "\n\n")
			all.WriteString(results + "\n")
		}
	}
	return all.String()
}
