package alerts_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/template"
	"github.com/stretchr/testify/require"
)

// number is a value of $values.
type number struct {
	Labels map[string]string
	Value  float64
}

// grafana is the value of Grafana's externalURL, which ends with a slash.
const grafana = "https://grafana.example/sub/"

// laterFunctions are functions of newer Prometheus templates, which Grafana 12.4 does not have.
var laterFunctions = regexp.MustCompile(`\b(now|toDuration|urlQueryEscape)\b[^-"]`)

// readable expands the annotations of each instance with Prometheus' templates, and expects sentences.
func readable(t *testing.T, r rule, instances []instance) {
	t.Helper()
	for _, i := range instances {
		written := expand(t, r, i)
		for _, name := range []string{"description", "action"} {
			require.NotRegexp(t, `no value|NaN|[+-]Inf|%!|\de[+-]\d|  |\bof $|[{}<>$]|\b1 (jobs|GPUs|nodes)\b|\b[02-9] (job|GPU|node)\b`, written[name], "%s of %s: %s", name, r.Title, i.state)
			require.Regexp(t, `^[A-Z/\d].+\.$`, written[name], "%s of %s is a sentence", name, r.Title)
		}
		if r.UID != "gpucloud-platform-unreachable" {
			known := i.state == alerting || i.state == normal
			require.Equal(t, !known, strings.HasPrefix(written["description"], r.Title+": not known."), "%s: %s", i.state, written["description"])
			require.Equal(t, !known, strings.Contains(written["action"], "Save & test"), "%s: %s", i.state, written["action"])
		}
		if host := i.labels["vm_name"]; host != "" {
			require.Contains(t, written["description"], host)
		}
		leadsToItsPanel(t, written, i.labels)
	}
}

// expand returns the annotations of an instance.
func expand(t *testing.T, r rule, i instance) map[string]string {
	t.Helper()
	none := func(context.Context, string, time.Time) (promql.Vector, error) { return nil, nil }
	values := map[string]number{}
	for refID, v := range i.values {
		values[refID] = number{i.labels, v}
	}
	fields := struct {
		Labels map[string]string
		Values map[string]number
		Value  any
	}{i.labels, values, nil}
	address, err := url.Parse(grafana)
	require.NoError(t, err)
	expanded := map[string]string{}
	for name, text := range r.Annotations {
		require.NotRegexp(t, laterFunctions, strings.Join(regexp.MustCompile(`\{\{.*?\}\}`).FindAllString(text, -1), ""), "%s of %s", name, r.Title)
		text = "{{- $labels := .Labels -}}{{- $values := .Values -}}{{- $value := .Value -}}" + text
		expanded[name], err = template.NewTemplateExpander(context.Background(), text, name, fields, model.Now(), none, address, []string{"missingkey=invalid"}).Expand()
		require.NoError(t, err, "%s of %s", name, r.Title)
	}
	return expanded
}

// leadsToItsPanel expects a link with the labels filled in. That there is such a panel with such variables, generating the rules has found.
func leadsToItsPanel(t *testing.T, written map[string]string, labels data.Labels) {
	t.Helper()
	require.NotContains(t, written["panel"], "{{")
	link, err := url.Parse(written["panel"])
	require.NoError(t, err)
	query := link.Query()
	for name := range query {
		require.NotEmpty(t, query.Get(name), name)
	}
	for variable, label := range map[string]string{"node": "vm_name", "machines": "vm_name", "cluster": "cluster_id", "job": "job", "disk": "disk_name", "endpoint": "endpoint", "balancer": "elb_name"} {
		if value := labels[label]; value != "" && query.Has("var-"+variable) {
			require.Equal(t, value, query.Get("var-"+variable))
		}
	}
}

// TestTexts_ValuesWithoutANumber expands texts of instances with null or NaN.
func TestTexts_ValuesWithoutANumber(t *testing.T) {
	for id, r := range rules(t) {
		t.Run(id, func(t *testing.T) {
			nothing := instance{state: noData, labels: data.Labels{"vm_name": "", "gpu": "3"}, values: map[string]float64{}}
			for _, n := range r.Data {
				nothing.values[n.RefID] = math.NaN()
			}
			readable(t, r, []instance{nothing})
		})
	}
}

func TestTexts_EveryRule(t *testing.T) {
	content, err := os.ReadFile("../../docs/reference/alert-rules.md")
	require.NoError(t, err)
	titles := map[string]bool{}
	for id, r := range rules(t) {
		t.Run(id, func(t *testing.T) {
			require.LessOrEqual(t, len(r.UID), 40, "Grafana takes no longer uid")
			require.False(t, titles[r.Title], "each title once in a folder")
			titles[r.Title] = true
			require.Zero(t, time.Duration(r.For)%r.interval, "%s is pending for a part of its interval", r.Title)
			require.Contains(t, string(content), fmt.Sprintf("## %s\n\n`%s`, in `%s`\n\n- **Means** ", r.Title, r.Labels["severity"], filepath.Base(r.file)))
			row := regexp.MustCompile(`\| \[` + r.Title + `\]\(#([^)]+)\) +\| .+? +\|([^|]+)\| (.*?) *\|\n`).FindStringSubmatch(string(content))
			require.NotNil(t, row)
			require.True(t, strings.HasSuffix(r.Annotations["runbook_url"], "docs/reference/alert-rules.md#"+row[1]))
			r.hasNumbers(t, row[2])
			require.Equal(t, row[3], r.waits(), "how long it is pending, and goes on to fire")
			require.Equal(t, filepath.Base(r.file) == "runs.yaml", r.Labels["job"] != "", "a run is notified with what else is wrong with its job")
			for name, text := range r.Annotations {
				require.NotContains(t, text, "${", "%s: newer Grafana takes it for a variable of its environment", name)
			}
		})
	}
}

// hasNumbers expects what is to be changed in a rule in the part that the table names, such as "`< 5` and `> 8192` in A".
func (r rule) hasNumbers(t *testing.T, column string) {
	t.Helper()
	parts := map[string]string{}
	for _, n := range r.Data {
		parts[n.RefID] = fmt.Sprint(n.Model)
	}
	where, numbers := "", regexp.MustCompile("`([^`]+)`(?: in ([A-D]))?").FindAllStringSubmatch(column, -1)
	for _, number := range slices.Backward(numbers) {
		where = cmp.Or(number[2], where)
		require.Regexp(t, `(^|[^\w.])`+regexp.QuoteMeta(number[1])+`($|[^\w.])`, parts[where])
	}
}

// waits are the times of a rule as the table has them: "5 min, keeps 1 h".
func (r rule) waits() string {
	units := strings.NewReplacer("m", " min", "h", " h")
	var texts []string
	if r.For > 0 {
		texts = append(texts, units.Replace(model.Duration(r.For).String()))
	}
	if r.KeepFiringFor > 0 {
		texts = append(texts, "keeps "+units.Replace(model.Duration(r.KeepFiringFor).String()))
	}
	return strings.Join(texts, ", ")
}
