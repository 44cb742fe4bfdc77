//go:build engines

package engines

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
)

// apart are the scenes: whole weeks, so that each begins at the same time of a week, and sees no samples of the one before.
const apart = 5 * 7 * 24 * time.Hour

// TestScenes runs every scene with samples on VictoriaMetrics. On Prometheus, whose engine of PromQL runs them all in tests/scenes, it runs each
// query where it is first evaluated, for what this version may lack. The engines have nothing but the samples of scenes. The first forty
// are before 2000, where the clock of a test begins, so none of them may be about jobs or runs, which are measured until now.
func TestScenes(t *testing.T) {
	engines := map[string]func(context.Context, string) (*engine, error){"prometheus": startPrometheus, "victoriametrics": startVictoriaMetrics}
	for name, start := range engines {
		t.Run(name, func(t *testing.T) {
			e, err := start(t.Context(), t.TempDir())
			require.NoError(t, err)
			defer e.stop()
			all, begin, first := map[string]*scenes.Scene{}, scenes.Start.Add(-39*apart), map[string]string{} // VictoriaMetrics drops samples of the future
			for _, file := range scenes.Files(t) {
				s, err := scenes.Read(file, begin)
				require.NoError(t, err)
				if len(s.Series) == 0 {
					continue // no engine is of any matter
				}
				s.Evaluations = slices.DeleteFunc(s.Evaluations, func(e *scenes.Evaluation) bool {
					of, at := e.Subject(), file+e.Name
					first[of] = cmp.Or(first[of], at)
					return name == "prometheus" && first[of] != at
				})
				if len(s.Evaluations) > 0 {
					require.NoError(t, e.send(t.Context(), ofScene(s, begin)))
					all[file] = s
					if begin = begin.Add(apart); begin.Equal(scenes.Start) { // where there are no samples
						begin = begin.Add(apart)
					}
				}
			}
			require.True(t, begin.Add(apart).Before(time.Now()), "VictoriaMetrics drops samples of the future, so there is no room for so many scenes")
			require.NoError(t, e.settle(t.Context()))
			for file, s := range all {
				t.Run(scenes.NameOf(file), func(t *testing.T) {
					for _, evaluation := range s.Evaluations {
						t.Run(evaluation.Name, func(t *testing.T) { s.Run(t, evaluation, e.address) })
					}
				})
			}
		})
	}
}

// ofScene has the samples of a scene that begins at a time.
func ofScene(s *scenes.Scene, start time.Time) dataset {
	d := dataset{from: start}
	for _, one := range s.Series {
		converted := series{labels: one.Labels}
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
