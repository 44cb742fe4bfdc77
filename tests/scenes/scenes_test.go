package scenes_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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
