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
			s, err := scenes.Read(file)
			require.NoError(t, err)
			for _, e := range s.Evaluations {
				t.Run(e.Name, func(t *testing.T) { s.Run(t, e, nil) })
			}
		})
	}
}

// TestScenes_Complete checks that the result of each measure of runs and each finding of training health is worked out in a scene.
func TestScenes_Complete(t *testing.T) {
	expected := func(folder string) string {
		var all strings.Builder
		for _, file := range scenes.Files(t) {
			if filepath.Base(filepath.Dir(file)) != folder {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			_, results, _ := strings.Cut(string(text), "expect\n")
			all.WriteString(results)
		}
		return all.String()
	}
	source, err := os.ReadFile("../../pkg/runs/measures.go")
	require.NoError(t, err)
	measures := regexp.MustCompile(`(?m)^\t\{"(\w+)", "`).FindAllStringSubmatch(string(source), -1)
	require.Greater(t, len(measures), 15)
	inRuns := expected("runs")
	for _, m := range measures {
		require.Contains(t, inRuns, `"`+m[1]+`": `)
	}
	ofTraining := expected("training")
	for _, kind := range health.Kinds {
		require.Contains(t, ofTraining, `"finding": "`+string(kind)+`"`)
	}
}
