//go:build engines

package engines

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
)

// TestScenes runs every scene on engines of its own: those of the other tests have other samples.
func TestScenes(t *testing.T) {
	engines := map[string]func(context.Context, string, dataset) (*engine, error){"prometheus": startPrometheus, "victoriametrics": startVictoriaMetrics}
	for name, start := range engines {
		for _, file := range scenes.Files(t) {
			t.Run(name+"/"+scenes.NameOf(file), func(t *testing.T) {
				s, err := scenes.Read(file)
				require.NoError(t, err)
				e, err := start(t.Context(), t.TempDir(), ofScene(s))
				require.NoError(t, err)
				defer e.stop()
				for _, evaluation := range s.Evaluations {
					t.Run(evaluation.Name, func(t *testing.T) { s.Run(t, evaluation, e.address) })
				}
			})
		}
	}
}

// ofScene has the samples of a scene.
func ofScene(s *scenes.Scene) dataset {
	d := dataset{from: scenes.Start}
	for _, one := range s.Series {
		converted := series{name: one.Labels.Get(model.MetricNameLabel)}
		for name, value := range one.Labels.Map() {
			if name != model.MetricNameLabel {
				converted.labels = append(converted.labels, [2]string{name, value})
			}
		}
		for _, p := range one.Samples {
			converted.samples = append(converted.samples, sample{at: p.At, value: p.Value})
			if !p.At.Before(d.to) {
				d.to = p.At.Add(time.Millisecond)
			}
		}
		d.series = append(d.series, converted)
	}
	return d
}
