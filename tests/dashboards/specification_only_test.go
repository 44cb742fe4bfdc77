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
	case strings.HasPrefix(kind, "fineTuning"):
		return "Choose jobs by id."
	case kind == "platform":
		return "(404)"
	}
	return ""
}

// variable is the dashboard's variable with a name.
func (d dashboard) variable(name string) variable {
	return d.Templating.List[slices.IndexFunc(d.Templating.List, func(v variable) bool { return v.Name == name })]
}
