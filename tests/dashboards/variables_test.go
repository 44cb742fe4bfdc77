package dashboards_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// chosen is the value of a variable.
type chosen struct {
	values []string
	// all is the custom value for all; "" means all values.
	all   string
	multi bool
}

// values are a dashboard's variables, by name.
type values map[string]chosen

// The kinds of a PromQL variable, as Grafana's Prometheus data source saves them.
var (
	labelValues = regexp.MustCompile(`^label_values\((.+), (\S+)\)$`)
	metricNames = regexp.MustCompile(`^metrics\((.+)\)$`)
	queryResult = regexp.MustCompile(`^query_result\((.+)\)$`)
)

// fill runs the queries of a dashboard's variables, each with the values of those before it, and selects Grafana's defaults:
// all if there is such an option, otherwise the first value.
func (g grafana) fill(t testing.TB, d dashboard) values {
	t.Helper()
	return g.choose(t, d, nil)
}

// choose is fill with a choice of some of the variables.
func (g grafana) choose(t testing.TB, d dashboard, choice map[string]string) values {
	t.Helper()
	vars := values{}
	for _, v := range d.Templating.List[1:] {
		if value, ok := choice[v.Name]; ok {
			vars[v.Name] = chosen{values: []string{value}}
			continue
		}
		list := v.options()
		if v.Type == "query" {
			list = v.filter(t, g.list(t, v, vars, d))
		}
		if !v.Multi && len(list) > 1 {
			list = list[:1]
		}
		one := chosen{values: list, multi: v.Multi}
		if v.IncludeAll {
			one.all = v.AllValue
		}
		vars[v.Name] = one
	}
	return vars
}

// options are the values of a variable without a query: a list, or the default of a text box.
func (v variable) options() []string {
	if v.Type == "textbox" {
		return []string{v.Query.(string)}
	}
	var list []string
	for _, option := range v.Options {
		list = append(list, option.Value)
	}
	return list
}

// list runs a variable's query.
func (g grafana) list(t testing.TB, v variable, vars values, d dashboard) []string {
	t.Helper()
	query := v.Query.(map[string]any)
	window := url.Values{
		"start": {strconv.FormatInt(g.now.Add(-d.span(t)).Unix(), 10)},
		"end":   {strconv.FormatInt(g.now.Unix(), 10)},
	}
	switch query["queryType"] {
	case "fineTuningJobs":
		return g.column(t, map[string]any{"queryType": "fineTuningJobs"}, "job_id", d.span(t))
	case "fineTuningModels":
		return g.column(t, map[string]any{"queryType": "fineTuningJobs"}, "model", d.span(t))
	case "runs":
		runs := vars.into(query)
		runs["measures"] = []string{} // as the front end
		return g.column(t, runs, "run_id", d.span(t))
	case "runLabels":
		runs := vars.into(query)
		runs["queryType"], runs["measures"] = "runs", []string{}
		return g.column(t, runs, query["label"].(string), d.span(t))
	case "platform":
		member := query["valueSelector"].(string)
		return g.column(t, map[string]any{"queryType": "platform", "path": query["path"], "columns": []any{map[string]any{"selector": member}}}, member, time.Hour)
	}
	text := vars.inPromQL(query["query"].(string))
	var address string
	switch {
	case labelValues.MatchString(text):
		parts := labelValues.FindStringSubmatch(text)
		window.Set("match[]", parts[1])
		address = "api/v1/label/" + parts[2] + "/values"
	case metricNames.MatchString(text):
		window.Set("match[]", `{__name__=~"`+metricNames.FindStringSubmatch(text)[1]+`"}`)
		address = "api/v1/label/__name__/values"
	case queryResult.MatchString(text):
		return g.results(t, queryResult.FindStringSubmatch(text)[1], d.span(t))
	default:
		require.Fail(t, "a kind of query that the test does not know", text)
	}
	var response struct{ Data []string }
	require.NoError(t, json.Unmarshal(datasource.Get(t, g.plugin, address, window), &response))
	return response.Data
}

// results are the series of a query at the end of the range, as the values of a variable begin.
func (g grafana) results(t testing.TB, expr string, span time.Duration) []string {
	t.Helper()
	query := map[string]any{"refId": "A", "expr": expr, "instant": true, "range": false}
	response := g.runQueries(t, []map[string]any{query}, span, time.Minute, 100)["A"]
	require.NoError(t, response.Error)
	var list []string
	for _, frame := range response.Frames {
		for _, field := range frame.Fields {
			if field.Type().Numeric() {
				var labels []string
				for name, value := range field.Labels {
					labels = append(labels, name+"="+strconv.Quote(value))
				}
				value, err := field.FloatAt(0)
				require.NoError(t, err)
				list = append(list, "{"+strings.Join(labels, ",")+"} "+strconv.FormatFloat(value, 'f', -1, 64)+" "+strconv.FormatInt(g.now.UnixMilli(), 10))
			}
		}
	}
	return list
}

// filter applies the variable's regular expression, sorts, and removes duplicates.
func (v variable) filter(t testing.TB, list []string) []string {
	t.Helper()
	pattern, err := regexp.Compile(strings.Trim(cmp.Or(v.Regex, "(.*)"), "/"))
	require.NoError(t, err)
	var unique []string
	for _, value := range list {
		if found := pattern.FindStringSubmatch(value); found != nil && !slices.Contains(unique, found[1]) {
			unique = append(unique, found[1])
		}
	}
	slices.Sort(unique)
	return unique
}

// reference matches a variable in a text. Macros of the backend begin with an underscore.
var reference = regexp.MustCompile(`\$(?:\{([a-zA-Z]\w*)(?::raw)?\}|([a-zA-Z]\w*))`)

// inPromQL interpolates variables like Grafana's Prometheus data source.
func (vars values) inPromQL(text string) string {
	return vars.replace(text, func(c chosen) string {
		switch {
		case c.all != "":
			return c.all
		case !c.multi:
			return strings.Join(c.values, "")
		}
		var quoted []string
		for _, value := range c.values {
			quoted = append(quoted, strings.ReplaceAll(regexp.QuoteMeta(value), `\`, `\\`))
		}
		if len(quoted) == 1 {
			return quoted[0]
		}
		return "(" + strings.Join(quoted, "|") + ")"
	})
}

func (vars values) replace(text string, format func(chosen) string) string {
	return reference.ReplaceAllStringFunc(text, func(found string) string {
		c, ok := vars[strings.TrimSuffix(strings.Trim(found, "${}"), ":raw")]
		if !ok {
			return found
		}
		return format(c)
	})
}

// into interpolates variables in a query, like the front end.
func (vars values) into(query map[string]any) map[string]any {
	filled := map[string]any{}
	for key, value := range query {
		switch value := value.(type) {
		case string:
			filled[key] = vars.inPromQL(value)
		case []any:
			filled[key] = vars.intoList(value)
		case map[string]any:
			filled[key] = vars.into(value)
		default:
			filled[key] = value
		}
	}
	return filled
}

func (vars values) intoList(list []any) []any {
	filled := []any{}
	for _, entry := range list {
		text, ok := entry.(string)
		if !ok || !reference.MatchString(text) {
			filled = append(filled, entry)
			continue
		}
		c := vars[strings.Trim(text, "${}")]
		if c.all != "" {
			filled = append(filled, c.all)
			continue
		}
		for _, value := range c.values {
			filled = append(filled, value)
		}
	}
	return filled
}

// TestVariables_Unread has the query of each hidden variable fail, one at a time, which Grafana doesn't show: the variable keeps the value that is
// saved. Queries with it must fail, too, because a panel that is empty would say that there is nothing; or those with a variable whose own
// query does.
func TestVariables_Unread(t *testing.T) {
	g := newGrafana(t, platform.Config{})
	for _, d := range load(t) {
		vars := g.fill(t, d)
		for i, v := range d.Templating.List {
			if !v.found() {
				continue
			}
			unread := maps.Clone(vars)
			unread[v.Name] = chosen{values: []string{v.Current.Value.(string)}}
			refers := regexp.MustCompile(`\$\{?` + v.Name + `\b`)
			fails := func(expr string) bool {
				query := map[string]any{"refId": "A", "expr": unread.inPromQL(expr), "instant": true, "range": false}
				return g.runQueries(t, []map[string]any{query}, time.Hour, time.Minute, 100)["A"].Error != nil
			}
			for _, other := range d.Templating.List[i+1:] {
				if other.found() && refers.MatchString(other.Definition) && fails(queryResult.FindStringSubmatch(other.Definition)[1]) {
					unread[other.Name] = chosen{values: []string{other.Current.Value.(string)}}
				}
			}
			for _, p := range d.charts() {
				for _, target := range p.Targets {
					if expr, _ := target["expr"].(string); refers.MatchString(expr) {
						assert.True(t, fails(expr), "%s, %s, variable %s", d.Title, p.Title, v.Name)
					}
				}
			}
		}
	}
}

// found reports that nobody chooses the variable: it has one value that a query finds.
func (v variable) found() bool { return v.Type == "query" && v.Hide == 2 && !v.IncludeAll }
