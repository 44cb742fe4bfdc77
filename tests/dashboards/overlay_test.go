package dashboards_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

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
