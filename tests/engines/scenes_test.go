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

// apart are the scenes: whole weeks, so that each begins at the same time of a week, and sees no samples of the one before.
const apart = 5 * 7 * 24 * time.Hour

// TestScenes runs every scene on an engine that has nothing but scenes.
func TestScenes(t *testing.T) {
	engines := map[string]func(context.Context, string, dataset) (*engine, error){"prometheus": startPrometheus, "victoriametrics": startVictoriaMetrics}
	for name, start := range engines {
		t.Run(name, func(t *testing.T) {
			e, err := start(t.Context(), t.TempDir(), dataset{})
			require.NoError(t, err)
			defer e.stop()
			begin := scenes.Start
			for _, file := range scenes.Files(t) {
				t.Run(scenes.NameOf(file), func(t *testing.T) {
					s, err := scenes.Read(file, begin)
					require.NoError(t, err)
					require.NoError(t, e.write(t.Context(), ofScene(s, begin)))
					for _, evaluation := range s.Evaluations {
						t.Run(evaluation.Name, func(t *testing.T) { s.Run(t, evaluation, e.address) })
					}
					if len(s.Series) > 0 {
						begin = begin.Add(apart)
					}
				})
			}
			require.True(t, begin.Before(time.Now()), "VictoriaMetrics drops samples of the future, so there is no room for so many scenes")
		})
	}
}

// ofScene has the samples of a scene that begins at a time.
func ofScene(s *scenes.Scene, start time.Time) dataset {
	d := dataset{from: start}
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
