//go:build grafana

package scenes_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
)

// TestScenes_Grafana runs scenes in the Grafana at GRAFANA_URL, as if each evaluation were made now, or some minutes ago.
func TestScenes_Grafana(t *testing.T) {
	grafana := os.Getenv("GRAFANA_URL")
	require.NotEmpty(t, grafana, "GRAFANA_URL")
	for _, file := range scenes.Files(t) {
		t.Run(scenes.NameOf(file), func(t *testing.T) {
			first, err := scenes.Read(file, scenes.Start)
			require.NoError(t, err)
			for i, e := range first.Evaluations {
				if e.ToTheSecond() {
					continue
				}
				t.Run(e.Name, func(t *testing.T) {
					s, err := scenes.Read(file, e.StartOfScene(time.Now()))
					require.NoError(t, err)
					s.RunInGrafana(t, s.Evaluations[i], grafana)
				})
			}
		})
	}
}
