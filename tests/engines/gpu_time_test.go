//go:build engines

package engines

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// dashboardPanel is a panel of a dashboard, with its queries.
type dashboardPanel struct {
	Title   string
	Targets []struct {
		Expr    string
		Instant bool
	}
}

// dashboard is one as it comes with the plugin.
type dashboard struct {
	Panels     []dashboardPanel
	Templating struct {
		List []struct {
			Name, Type string
			Query      any
			Options    []struct{ Value string }
		}
	}
}

func readDashboard(t *testing.T, name string) dashboard {
	t.Helper()
	text, err := os.ReadFile("../../src/dashboards/" + name + ".json")
	require.NoError(t, err)
	var d dashboard
	require.NoError(t, json.Unmarshal(text, &d))
	return d
}

var inExpr = regexp.MustCompile(`\$(?:\{(\w+)\}|([a-z]\w*))`)

// expr is the first query of a panel with the values that variables have at first, and those given.
func (d dashboard) expr(t *testing.T, title string, chosen map[string]string) string {
	t.Helper()
	vars := map[string]string{}
	for _, v := range d.Templating.List {
		if text, ok := v.Query.(string); ok && v.Type == "textbox" {
			vars[v.Name] = text
		} else if len(v.Options) > 0 {
			vars[v.Name] = v.Options[0].Value
		}
	}
	at := slices.IndexFunc(d.Panels, func(p dashboardPanel) bool { return p.Title == title })
	require.GreaterOrEqual(t, at, 0, title)
	return inExpr.ReplaceAllStringFunc(d.Panels[at].Targets[0].Expr, func(found string) string {
		name := strings.Trim(found, "${}")
		if value, ok := chosen[name]; ok {
			return value
		}
		require.Contains(t, vars, name)
		return vars[name]
	})
}

// newestScrape is the newest scrape of a GPU within three minutes, and whether there was any before.
func (d dataset) newestScrape(script []timePhase, at time.Time) (newest *timeScrape, known bool) {
	for _, scrape := range d.timeScrapes(script) {
		if !scrape.at.After(at) {
			newest, known = &scrape, true
		}
	}
	if newest != nil && at.Sub(newest.at) >= 3*time.Minute {
		newest = nil
	}
	return newest, known
}

// trueCause is the code of the cause of a GPU at a time, from how its samples were made, or "" before its first sample.
func (d dataset) trueCause(cluster timeCluster, node timeNode, gpu int, at time.Time) string {
	newest, known := d.newestScrape(node.script(gpu), at)
	switch {
	case !known:
		return ""
	case newest == nil:
		return "70"
	case newest.phase.cause != waiting:
		return newest.phase.cause
	case node.waitsFor != "":
		return node.waitsFor
	case len(cluster.profiling) > 0 && d.anyActive(node, at):
		return "44"
	}
	return waiting
}

// anyActive reports whether a GPU of a node computes, whatever else its cause is.
func (d dataset) anyActive(node timeNode, at time.Time) bool {
	for gpu := range timeScripts {
		if newest, _ := d.newestScrape(node.script(gpu), at); newest != nil && newest.phase.values["SM_ACTIVE"] > 0.25 {
			return true
		}
	}
	return false
}

// causeTitles are the titles of causes by code.
var causeTitles = map[string]string{
	"70": "No data", "10": "Faulted", "20": "Throttled", "30": "Computing", "41": "Waiting for the network", "42": "Waiting for storage",
	"43": "Waiting for the host", "44": "Waiting for peers", "45": "Waiting, not known for what", "50": "Held idle", "60": "Free",
}

// gpuAt is a GPU of a node at a time, and titleAt a cause at a time.
type (
	gpuAt struct {
		node, gpu string
		at        time.Time
	}
	titleAt struct {
		title string
		at    time.Time
	}
)

// eachTimeStep are the minutes of the known causes: they begin after the first scrape.
func eachTimeStep() (steps []time.Time) {
	for at := samples.timeStart().Add(time.Minute); !at.After(samples.to.Truncate(time.Minute)); at = at.Add(time.Minute) {
		steps = append(steps, at.UTC())
	}
	return steps
}

// TestGPUTime_Truth compares the cause of every GPU in every minute with what its samples were made from, and the counts of causes
// with those of all GPUs.
func TestGPUTime_Truth(t *testing.T) {
	board := readDashboard(t, "gpu-time")
	steps := eachTimeStep()
	from, to := steps[0], steps[len(steps)-1]
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, uncached)
		for _, cluster := range timeClusters {
			t.Run(cluster.name, func(t *testing.T) {
				vars := map[string]string{"cluster": cluster.name, "host": cluster.host, "prefix": "vendor", "has_gpus": "1"}
				want, wantCounts, known := map[gpuAt]string{}, map[titleAt]float64{}, map[time.Time]float64{}
				got := map[gpuAt]string{}
				for _, node := range timeNodes {
					for _, at := range steps {
						for gpu := range timeScripts {
							if cause := samples.trueCause(cluster, node, gpu, at); cause != "" {
								want[gpuAt{node.name, fmt.Sprint(gpu), at}] = cause
								wantCounts[titleAt{causeTitles[cause], at}]++
								known[at]++
							}
						}
					}
					vars["node"] = cluster.name + "-" + node.name
					for _, frame := range frames(t, ds, saved{"expr": board.expr(t, "GPUs of the node by cause", vars), "range": true, "interval": "1m"}, from, to) {
						for at, value := range pointsOf(t, frame) {
							got[gpuAt{node.name, frame.Fields[1].Labels["gpu"], at}] = fmt.Sprint(value)
						}
					}
				}
				for code, title := range causeTitles {
					occurs := slices.Contains(slices.Collect(maps.Values(want)), code)
					require.Equal(t, code != "44" || cluster.profiling != nil, occurs, "whether a GPU is “%s” in the samples", title)
				}
				require.Len(t, got, len(want), "GPUs and minutes with a cause")
				for where, cause := range want {
					require.Equal(t, causeTitles[cause], causeTitles[got[where]], "%s, GPU %s, minute %v", where.node, where.gpu, where.at.Sub(from).Minutes())
				}

				sum := map[time.Time]float64{}
				query := saved{"expr": board.expr(t, "GPUs by cause", vars), "range": true, "interval": "1m"}
				counts := frames(t, ds, query, from, to)
				require.Len(t, counts, len(causeTitles))
				for _, frame := range counts {
					title := frame.Fields[1].Labels["cause"]
					for at, value := range pointsOf(t, frame) {
						require.Equal(t, wantCounts[titleAt{title, at}], value, "%s, minute %v", title, at.Sub(from).Minutes())
						sum[at] += value
					}
				}
				require.Equal(t, known, sum, "the causes add up to the GPUs")

				// A mean over the time range counts the time before there were GPUs.
				for _, frame := range frames(t, ds, query, from.Add(-time.Hour), from.Add(-2*time.Minute)) {
					points := pointsOf(t, frame)
					require.Len(t, points, 59)
					for at, value := range points {
						require.Zero(t, value, "%s, minute %v", frame.Fields[1].Labels["cause"], at.Sub(from).Minutes())
					}
				}
			})
		}
	})
}

// pointsOf are the points of a frame with one series.
func pointsOf(t *testing.T, frame *data.Frame) map[time.Time]float64 {
	t.Helper()
	points := map[time.Time]float64{}
	for i := range frame.Rows() {
		value, err := frame.Fields[1].FloatAt(i)
		require.NoError(t, err)
		points[frame.Fields[0].At(i).(time.Time).UTC()] = value
	}
	return points
}

// TestGPUTime_RecordingRule compares what the recording rule records of each node with the true causes of its GPUs.
func TestGPUTime_RecordingRule(t *testing.T) {
	text, err := os.ReadFile("../../provisioning/recording/gpu-time.yaml")
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []struct{ Record, Expr string }
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	rule := file.Groups[0].Rules[0]
	require.Equal(t, "gpucloud:gpus:by_cause", rule.Record)
	type nodeCause struct{ node, cause string }
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, uncached)
		for _, minute := range []int{20, 45, 75, 105, 135, 165} {
			at := samples.timeStart().Add(time.Duration(minute) * time.Minute)
			want, got, known := map[nodeCause]float64{}, map[nodeCause]float64{}, map[string]bool{}
			for _, cluster := range timeClusters {
				for _, node := range timeNodes {
					known[cluster.name+"-"+node.name] = true
					for gpu := range timeScripts {
						if cause := samples.trueCause(cluster, node, gpu, at); cause != "" && cluster.host == "vm_name" {
							want[nodeCause{cluster.name + "-" + node.name, cause}]++
						}
					}
				}
			}
			for _, frame := range frames(t, ds, saved{"expr": rule.Expr, "instant": true}, at.Add(-time.Minute), at) {
				labels := frame.Fields[1].Labels
				if known[labels["vm_name"]] { // not those of other tests
					value, err := frame.Fields[1].FloatAt(0)
					require.NoError(t, err)
					got[nodeCause{labels["vm_name"], labels["cause"]}] = value
				}
			}
			require.Equal(t, want, got, "minute %d", minute)
		}
	})
}
