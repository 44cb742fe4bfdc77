package dashboards_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lanes is the panel with a row for each job.
func (d dashboard) lanes() (panel, bool) {
	for _, p := range d.all() {
		if p.Type == "state-timeline" && p.Targets[0]["queryType"] == "fineTuningJobs" {
			return p, true
		}
	}
	return panel{}, false
}

func TestOverlay_JobTimelineBelowCharts(t *testing.T) {
	found := 0
	for _, d := range load(t) {
		for _, a := range d.Annotations.List {
			if !a.Enable || a.Target["queryType"] != "fineTuningAnnotations" {
				continue
			}
			found++
			lanes, ok := d.lanes()
			require.True(t, ok, "%s draws jobs over panels and has no panel with a row for each job", d.Title)
			assert.Equal(t, "timeline", lanes.Targets[0]["format"], d.Title)
			assert.Equal(t, 24, lanes.GridPos.W, "%s: names of jobs need room", d.Title)
			chart := panel{}
			for _, p := range d.all() {
				if p.ID == a.Filter.IDs[0] {
					chart = p
				}
			}
			assert.Equal(t, chart.GridPos.Y+chart.GridPos.H, lanes.GridPos.Y, "%s: the rows are right below %s", d.Title, chart.Title)
			assert.Equal(t, 1, d.GraphTooltip, "%s: a shared crosshair", d.Title)

			links := lanes.FieldConfig.Defaults["links"].([]any)
			require.Len(t, links, 1, d.Title)
			link := links[0].(map[string]any)
			assert.Contains(t, link["url"], "/d/gpucloud-fine-tuning?", d.Title)
			assert.Contains(t, link["url"], "var-job=${__field.labels.job}", d.Title)
			assert.Equal(t, true, link["oneClick"], "%s: one click leads to the job", d.Title)
			assert.Equal(t, "automatic", a.Target["draw"], d.Title)
		}
	}
	require.Equal(t, 1, found)
}

func TestOverlay_JobFilters(t *testing.T) {
	chosen := map[string]any{"jobIds": []any{"$job"}, "models": []any{"$model"}}
	seen := map[any]bool{}
	filtered := func(where string, target map[string]any) {
		if target["queryType"] == nil || target["queryType"] == "trainingFiles" {
			return
		}
		seen[target["queryType"]] = true
		if target["queryType"] == "runs" {
			target = target["source"].(map[string]any)
		}
		for option, value := range chosen {
			assert.Equal(t, value, target[option], "%s: %s", where, option)
		}
	}
	for _, d := range load(t) {
		if d.UID != "gpucloud-fine-tuning" {
			continue
		}
		for _, p := range d.all() {
			for _, target := range p.Targets {
				filtered(p.Title, target)
			}
		}
		for _, a := range d.Annotations.List {
			filtered(a.Name, a.Target)
		}
	}
	for _, queryType := range []string{"fineTuningJobs", "fineTuningCurves", "fineTuningEvents", "fineTuningAnnotations"} {
		assert.True(t, seen[queryType], queryType)
	}
}

// Curves of runs all begin at one place, so what is drawn at its time would not be where it happened.
func TestOverlay_NoneOverCurvesOfRuns(t *testing.T) {
	compared := 0
	for _, d := range load(t) {
		ofRuns := map[int]bool{}
		for _, p := range d.all() {
			for _, target := range p.Targets {
				if target["queryType"] == "runComparison" {
					ofRuns[p.ID] = true
					compared++
				}
			}
		}
		for _, a := range d.Annotations.List {
			if !a.Enable || len(ofRuns) == 0 {
				continue
			}
			require.NotEmpty(t, a.Filter.IDs, "%s draws %s over all of its panels", d.Title, a.Name)
			for _, id := range a.Filter.IDs {
				require.False(t, ofRuns[id], "%s draws %s over curves of runs", d.Title, a.Name)
			}
		}
	}
	require.Positive(t, compared)
}
