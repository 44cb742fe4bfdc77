package training

import (
	"fmt"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxAnnotations bounds what is drawn over a panel. The most urgent are drawn.
const maxAnnotations = 100

// annotationColors are the colors of severities, which Grafana has for states of alerts, too; events without such a color have that of the annotation.
var annotationColors = map[string]string{critical: "red", warning: "yellow", info: "blue"}

// annotations are points where findings began, within the range. Regions would cover the curves that they are about.
func (q *parsedQuery) annotations(runs []*run) data.Frames {
	var all []query.Annotation
	for _, r := range runs {
		for _, f := range r.Findings {
			severity := severityOf(f.Finding)
			at := f.Since.At
			if annotationColors[severity] == "" || !q.Findings.Has(string(f.Kind)) || at.Before(q.from) || at.After(q.to) {
				continue
			}
			title := titles[f.Kind] + ": " + r.name
			if f.Until == nil {
				title = fmt.Sprintf("%s since %s: %s", titles[f.Kind], at.Format("15:04 UTC"), r.name)
			}
			all = append(all, query.Annotation{
				Time: at, End: at, ID: strings.Join([]string{string(f.Kind), f.Metric, r.labels.String()}, ":"), Title: title,
				Text: strings.TrimSpace(f.Metric + " " + f.Evidence), Tags: severity + "," + strings.ReplaceAll(r.name, ",", " "), Color: annotationColors[severity],
			})
		}
	}
	if len(all) > maxAnnotations {
		q.notices.Warn("Only %d of %d annotations are drawn. Choose fewer runs or findings.", maxAnnotations, len(all))
		all = all[:maxAnnotations]
	}
	return data.Frames{query.AnnotationFrame("Training health", all)}
}
