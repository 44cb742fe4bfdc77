package dashboards_test

import (
	"slices"
	"strings"
)

// lacks is part of the error of a query whose operation is not in the platform's specification, or "".
func (g grafana) lacks(query any) string {
	saved, _ := query.(map[string]any)
	kind, _ := saved["queryType"].(string)
	switch {
	case !g.specOnly:
		return ""
	case kind == "trainingFiles", kind == "fineTuningModels":
		return "The tuning gateway"
	case strings.HasPrefix(kind, "fineTuning"), kind == "trainingHealth" && saved["expr"] == nil:
		return "Choose jobs by id."
	case strings.HasPrefix(kind, "run") && ofSeries(saved):
		return ""
	case strings.HasPrefix(kind, "run"): // of fine-tuning jobs, which are picked at first: by id, or there is no baseline either
		return "Choose "
	case kind == "platform":
		return "(404)"
	}
	return ""
}

// variable is the dashboard's variable with a name.
func (d dashboard) variable(name string) variable {
	return d.Templating.List[slices.IndexFunc(d.Templating.List, func(v variable) bool { return v.Name == name })]
}

// ofSeries reports whether the runs of a query are those of PromQL series, as it is saved.
func ofSeries(saved map[string]any) bool {
	source, _ := saved["source"].(map[string]any)
	return source["kind"] == "series"
}
