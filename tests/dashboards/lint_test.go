package dashboards_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPanels_DescriptionsAndUnits(t *testing.T) {
	eachChart(t, func(t *testing.T, _ dashboard, p panel) {
		assert.True(t, strings.HasSuffix(p.Description, "."), "the description is a sentence")
		if p.Type != "state-timeline" && p.Type != "logs" {
			assert.NotEmpty(t, p.FieldConfig.Defaults["unit"])
		}
	})
}

// ofMean matches PromQL whose result is a mean or a quantile over several GPUs, nodes or samples, apart from its labels and unit.
var ofMean = regexp.MustCompile(`^(100 \* |label_replace\(|\()*(avg|quantile|histogram_quantile)\b`)

// TestQueries_Expressions checks that titles name means; that no result is NaN, because VictoriaMetrics (1.79.5) treats NaN as no sample,
// and drops such series; that nothing is ranked at each step: topk in a range query has as many series as there ever were among the first;
// and that a number at the end of a range, which need not end now, does not depend on its length by the step.
func TestQueries_Expressions(t *testing.T) {
	means := 0
	eachChart(t, func(t *testing.T, _ dashboard, p panel) {
		for _, target := range p.Targets {
			legend, _ := target["legendFormat"].(string)
			expr, _ := target["expr"].(string)
			if p.Type != "table" && ofMean.MatchString(expr) {
				means++
				assert.Regexp(t, `\b(means?|medians?)\b|\d %`, p.Title+": "+legend)
			}
			assert.NotContains(t, asJSON(t, target), "NaN")
			if target["range"] == true {
				assert.NotRegexp(t, `(top|bottom)k\(`, expr)
			}
			if p.Type == "stat" {
				assert.NotContains(t, p.Title, "now")
				assert.NotContains(t, expr, "interval")
				assert.NotEqual(t, true, target["range"])
			}
		}
	})
	require.Greater(t, means, 10)
}

// TestQueries_Length has names of nodes as long as a label of DNS can be, and ends of names with a dot, which is escaped. VictoriaMetrics takes 16 KiB (-search.maxQueryLen).
func TestQueries_Length(t *testing.T) {
	names := func(count, length int) chosen {
		return chosen{values: slices.Repeat([]string{strings.Repeat("n", length)}, count), multi: true}
	}
	vars := values{"slurm_jobs": names(100, 14), "with_xid": names(20, 63), "failing": names(20, 7), "bad_memory": names(20, 63), "worst": names(20, 8), "slowed": names(20, 63), "idlest": names(20, 63), "drives": names(20, 63), "waiting": names(8, 63), "down": names(10, 8), "live": names(1, 2), "every": names(1, 32), "faulty": names(11, 3), "others": names(1, 2), "no_util": names(1, 2), "no_engine": names(1, 2), "no_traffic": names(1, 2), "no_energy": names(1, 2), "no_minute": names(1, 2), "behind": names(13, 5), "rest": names(1, 2), "pool": names(10, 63), "node": names(1, 63), "host": names(1, 8), "also": names(1, 8), "window": names(1, 4), "recent": names(1, 4), "reported": names(1, 4), "resolution": names(1, 5), "shift": names(1, 10), "within": names(1, 11), "cluster": names(3, 36), "scope": names(1, 6)}
	for _, d := range load(t) {
		for _, p := range d.charts() {
			for _, target := range p.Targets {
				query := vars.into(target)
				expr, ok := query["expr"].(string)
				if !ok {
					expr = asJSON(t, query)
				}
				assert.Less(t, len(expr), 16<<10, "%s/%s", d.Title, p.Title)
			}
		}
		for _, v := range d.Templating.List {
			assert.Less(t, len(strings.ReplaceAll(vars.inPromQL(asJSON(t, v.Query)), `\"`, `"`)), 16<<10, "%s, variable %s", d.Title, v.Name)
		}
	}
}

func TestPanels_EmptyCells(t *testing.T) {
	absent := map[string]any{"type": "special", "options": map[string]any{"match": "null+nan", "result": map[string]any{"text": "–", "color": "text"}}}
	eachChart(t, func(t *testing.T, _ dashboard, p panel) {
		for _, override := range p.FieldConfig.Overrides {
			properties := map[any]any{}
			for _, one := range override["properties"].([]any) {
				property := one.(map[string]any)
				properties[property["id"]] = property["value"]
			}
			if properties["custom.cellOptions"] != nil {
				assert.Contains(t, properties["mappings"], absent, "%v", override["matcher"])
			}
		}
	})
}

func TestLinks_TargetsAndVariables(t *testing.T) {
	list := load(t)
	byUID := map[string]dashboard{}
	for _, d := range list {
		byUID[d.UID] = d
	}
	address := regexp.MustCompile(`"url": "(/d/[^"]*)"`)
	given := regexp.MustCompile(`[?&](?:var-(\w+)=|\$\{(\w+):queryparam\})`)
	for _, d := range list {
		t.Run(d.Title, func(t *testing.T) {
			for _, found := range address.FindAllStringSubmatch(d.text, -1) {
				url := found[1]
				uid, _, _ := strings.Cut(strings.TrimPrefix(url, "/d/"), "?")
				target, ok := byUID[uid]
				require.True(t, ok, "%s leads nowhere", url)
				for _, v := range d.Templating.List[1:] {
					if target.has(v.Name) && v.Hide != hidden && d.UID != target.UID {
						assert.Regexp(t, `var-`+v.Name+`=|\$\{`+v.Name+`:queryparam\}`, url, "what is chosen is passed on")
					}
				}
				for _, name := range given.FindAllStringSubmatch(url, -1) {
					assert.True(t, target.has(name[1]+name[2]), "%s has no variable %s", target.Title, name[1]+name[2])
					assert.True(t, name[2] == "" || d.has(name[2]), "%s has no variable %s to pass on", d.Title, name[2])
				}
			}
		})
	}
}

// ofRow matches a column of the row that a link takes a value from.
var ofRow = regexp.MustCompile(`\$\{__data\.fields\.(\w+)`)

// TestLinks_OfRows: a column that is left out is empty in a link, and so leads to all clusters.
func TestLinks_OfRows(t *testing.T) {
	found := 0
	eachChart(t, func(t *testing.T, _ dashboard, p panel) {
		var columns []any
		for _, one := range p.Transformations {
			if one.ID == "filterFieldsByName" && one.Filter == nil {
				columns = one.Options["include"].(map[string]any)["names"].([]any)
			}
		}
		for _, match := range ofRow.FindAllStringSubmatch(asJSON(t, p.FieldConfig), -1) {
			found++
			assert.Contains(t, columns, match[1], "a link takes a column that is left out")
		}
	})
	require.Greater(t, found, 20)
}

func (d dashboard) has(name string) bool {
	for _, v := range d.Templating.List {
		if v.Name == name {
			return true
		}
	}
	return false
}

// ofRuns are what the backend fills in for each run: macros, and a label of runs.
var ofRuns = []string{"selector", "run", "duration", "node_pool", "nodepool_name", "cluster_id", "namespace", "modelName"}

func TestVariables_DefinedAndUsed(t *testing.T) {
	mentioned := regexp.MustCompile(`\$\{?([a-zA-Z]\w*)`)
	for _, d := range load(t) {
		t.Run(d.Title, func(t *testing.T) {
			known, used := []string{"datasource"}, []string{"datasource"}
			uses := func(name string, query any) {
				for _, m := range mentioned.FindAllStringSubmatch(asJSON(t, query), -1) {
					if !slices.Contains(ofRuns, m[1]) {
						assert.Contains(t, known, m[1], "%s uses it", name)
						used = append(used, m[1])
					}
				}
			}
			for _, v := range d.Templating.List {
				if strings.Contains(asJSON(t, v.Query), "_slurm_nodes, cluster_id") {
					assert.Equal(t, "slurm_cluster", v.Name, "links pass values on by name, and clusters of Slurm are not those of GPUs")
				}
				uses(v.Name, v.Query)
				known = append(known, v.Name)
			}
			for _, p := range d.charts() {
				uses(p.Title, p.Targets)
			}
			if strings.Contains(d.text, `"title": "$not_collected"`) { // of a link
				used = append(used, "not_collected")
			}
			assert.Subset(t, used, known, "variables that nothing uses")
		})
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func TestPluginJSON_Dashboards(t *testing.T) {
	text, err := os.ReadFile("../../src/plugin.json")
	require.NoError(t, err)
	var manifest struct {
		Includes []struct{ Type, Name, Path string }
	}
	require.NoError(t, json.Unmarshal(text, &manifest))
	offered := map[string]string{}
	for _, include := range manifest.Includes {
		if include.Type == "dashboard" {
			offered[include.Path] = include.Name
		}
	}
	expected := map[string]string{}
	for _, d := range load(t) {
		expected["dashboards/"+d.file] = d.Title
	}
	require.Equal(t, expected, offered)
}

// hidden is Grafana's number for a variable that nobody sees.
const hidden = 2

// TestBoards_Size checks the bounds of what a person can take in, and that refreshing costs what it is worth.
func TestBoards_Size(t *testing.T) {
	for _, d := range load(t) {
		panels := 0
		for _, p := range d.all() {
			if p.Type != "row" {
				panels++
			}
		}
		assert.LessOrEqual(t, panels, 12, "%s: panels", d.Title)
		assert.True(t, strings.HasSuffix(d.Panels[0].Title, "?"), "%s: its question is above its panels: %s", d.Title, d.Panels[0].Title)
		if d.Refresh == "1m" {
			assert.LessOrEqual(t, d.span(t), 24*time.Hour, d.Title)
		}
	}
}

// TestJobs_FollowChoice: all that the dashboard Jobs shows is of the jobs that are chosen.
func TestJobs_FollowChoice(t *testing.T) {
	d := find(t, "gpucloud-fine-tuning")
	var targets []map[string]any
	for _, a := range d.Annotations.List {
		targets = append(targets, a.Target)
	}
	for _, p := range d.charts() {
		targets = append(targets, p.Targets...)
	}
	require.Greater(t, len(targets), 8)
	for _, target := range targets {
		if source, ok := target["source"].(map[string]any); ok {
			target = source
		}
		if target["expr"] == nil { // PromQL is of the node pools of these jobs
			assert.Equal(t, []any{"$job"}, target["jobIds"], target)
			assert.Equal(t, []any{"$model"}, target["models"], target)
		}
	}
}
