package alerts_test

import (
	"context"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/template"
	"github.com/stretchr/testify/require"
)

// number is a value as $values gives it to a template.
type number struct {
	Labels map[string]string
	Value  float64
}

// readable expands the annotations of each instance as Grafana does, with Prometheus' templates.
func readable(t *testing.T, r rule, instances []instance) {
	t.Helper()
	none := func(context.Context, string, time.Time) (promql.Vector, error) { return nil, nil }
	for _, i := range instances {
		values := map[string]number{}
		for refID, v := range i.values {
			values[refID] = number{i.labels, v}
		}
		data := struct {
			Labels map[string]string
			Values map[string]number
			Value  any
		}{i.labels, values, nil}
		for _, name := range []string{"summary", "description"} {
			text := "{{- $labels := .Labels -}}{{- $values := .Values -}}{{- $value := .Value -}}" + r.Annotations[name]
			written, err := template.NewTemplateExpander(context.Background(), text, name, data, model.Now(), none, &url.URL{}, []string{"missingkey=invalid"}).Expand()
			require.NoError(t, err)
			require.NotRegexp(t, `no value|NaN|%!|e\+|  |\bof $|\{\{`, written, "%s of %s", name, r.Title)
			if name == "summary" && r.UID != "gpucloud-platform-unreachable" {
				known := i.state == alerting || i.state == normal
				require.Equal(t, !known, strings.HasSuffix(written, ": not known"), "%s: %s", i.state, written)
			}
		}
	}
}

func TestEveryRuleSaysWhatItMeansAndWhatToDo(t *testing.T) {
	runbooks := headings(t, "../../docs/alerting.md")
	titles := map[string]bool{}
	for id, r := range rules(t) {
		t.Run(id, func(t *testing.T) {
			require.LessOrEqual(t, len(r.UID), 40, "Grafana takes no longer uid")
			require.False(t, titles[r.Title], "each title once in a folder")
			titles[r.Title] = true
			require.Contains(t, []string{"critical", "warning", "info"}, r.Labels["severity"])
			require.NotEmpty(t, r.Annotations["summary"])
			require.NotEmpty(t, r.Annotations["description"])
			require.Zero(t, time.Duration(r.For)%r.interval, "%s is pending for a part of its interval", r.Title)
			_, anchor, _ := strings.Cut(r.Annotations["runbook_url"], "docs/alerting.md#")
			require.Contains(t, runbooks, anchor)
			require.NotContains(t, r.Labels["severity"], "$", "Grafana takes it for a variable of its environment")
			for _, n := range r.Data {
				require.Contains(t, []string{expressionUID, "gpucloud"}, n.DatasourceUID)
			}
			for name, text := range r.Annotations {
				require.NotContains(t, text, "${", "%s: newer Grafana takes it for a variable of its environment", name)
			}
		})
	}
}

// headings are the anchors of a document's headings, as GitHub makes them.
func headings(t *testing.T, file string) map[string]bool {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	found := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(content), -1) {
		found[strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(line[1]), ""), " ", "-")] = true
	}
	return found
}
