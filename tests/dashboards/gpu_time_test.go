package dashboards_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

const losingNodes = "Nodes that lose GPU time, broken ones first"

// TestGPUTime_BrokenNodesFirst has twelve nodes whose eight GPUs are held idle for an hour, and two that compute and lost a GPU twenty minutes
// ago: these lost less, and are above the others.
func TestGPUTime_BrokenNodesFirst(t *testing.T) {
	var lines []string
	for node := range 14 {
		labels := func(gpus string) string {
			return fmt.Sprintf(`{cluster_id="c", nodepool_name="p", vm_name="node-%02d", gpu=%q, modelName="NVIDIA H100"}`, node, gpus)
		}
		lost, power := "x60", 115
		if node < 2 {
			lost, power = "x40 _x20", 600
		}
		for metric, value := range map[string]int{"DCGM_FI_DEV_GPU_UTIL": 0, "DCGM_FI_DEV_FB_USED": 40_000, "DCGM_FI_DEV_POWER_USAGE": power} {
			lines = append(lines, fmt.Sprint(metric, labels("0..6"), " ", value, "x60"), fmt.Sprint(metric, labels("7"), " ", value, lost))
		}
	}
	g, d := newGrafanaWith(t, lines...), find(t, "gpucloud-gpu-time")
	p, vars := d.panel(t, losingNodes), g.fill(t, d)
	response := g.over(t, p, vars, time.Hour)["A"]
	nodes := by(t, response, "node")
	assert.Len(t, nodes, 14)
	assert.InDelta(t, 0.3, nodes["node-00"], 0.05)
	assert.InDelta(t, 0.3, nodes["node-01"], 0.05)
	assert.InDeltaMapValues(t, map[string]float64{"1": 0.6, "0": 96}, by(t, response, "broken"), 0.5)
	assert.Equal(t, []any{map[string]any{"displayName": "Lost to", "desc": true}, map[string]any{"displayName": "GPU-hours", "desc": true}}, p.Options["sortBy"])
}

// TestGPUTime_Recorded has numbers of GPUs that recording rules counted, which differ from those that the metrics would give: they are
// taken where all chosen clusters have had them for the whole range, and then no metric of a GPU is read. A cluster without a recording has
// the GPUs of both counted.
func TestGPUTime_Recorded(t *testing.T) {
	gpu := func(cluster string) []string {
		labels := fmt.Sprintf(`{cluster_id=%q, nodepool_name="p", Hostname="n", gpu="0", UUID=%q, modelName="NVIDIA H100"}`, cluster, cluster)
		return []string{"DCGM_FI_DEV_GPU_UTIL" + labels + " 0x60", "DCGM_FI_DEV_FB_USED" + labels + " 1x60", "DCGM_FI_DEV_POWER_USAGE" + labels + " 70x60"}
	}
	recorded := []string{
		`gpucloud:gpus:by_cause{cluster_id="a", nodepool_name="p", vm_name="n", cause="30"} 5x60`,
		`gpucloud:gpus:by_cause{cluster_id="a", nodepool_name="p", vm_name="n", cause="10"} 2x60`,
		`gpucloud:gpus:by_team{cluster_id="a", team="ada"} 4x60`,
	}
	began := `gpucloud:gpus:by_cause{cluster_id="a", nodepool_name="p", vm_name="n", cause="30"} _x40 5x20`
	for name, test := range map[string]struct {
		lines []string
		want  map[string]float64 // GPUs by the code of their cause
	}{
		"all":                   {append(gpu("a"), recorded...), map[string]float64{"30": 5, "10": 2}},
		"one of two clusters":   {append(append(gpu("a"), gpu("b")...), recorded...), map[string]float64{"60": 2}},
		"not the whole range":   {append(gpu("a"), began), map[string]float64{"60": 1}},
		"no recording of GPUs":  {gpu("a"), map[string]float64{"60": 1}},
		"a recording, no GPUs":  {recorded, map[string]float64{"30": 5, "10": 2}},
		"neither GPUs nor that": {[]string{"up 1x60"}, map[string]float64{}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrafanaWith(t, test.lines...)
			d := find(t, "gpucloud-gpu-time")
			d.Time.From = "now-30m"
			vars, counts := g.choose(t, d, map[string]string{"node": "n"}), d.panel(t, "GPUs by cause")
			got := map[string]float64{}
			for _, frame := range g.over(t, counts, vars, 30*time.Minute)["A"].Frames {
				if len(frame.Fields) < 2 {
					continue
				}
				points := pointsOf(frame)
				if last := points[len(points)-1].value; last > 0 {
					got[frame.Fields[1].Labels["cause"]] = last
				}
			}
			assert.Equal(t, test.want, got)
			hours := by(t, g.over(t, d.panel(t, "GPU-hours by node pool"), vars, 30*time.Minute)["A"], "cause")
			assert.InDelta(t, sum(got)/2, sum(hours), 0.01)

			expr, err := parser.NewParser(parser.Options{}).ParseExpr(vars.into(counts.Targets[0])["expr"].(string))
			require.NoError(t, err)
			read := 0
			for _, selector := range parser.ExtractSelectors(expr) {
				for _, matcher := range selector {
					if matcher.Name == "cluster_id" && matcher.Type == labels.MatchRegexp && matcher.Matches("a") {
						read++
					}
				}
			}
			if test.want["30"] > 0 {
				lost := by(t, g.over(t, d.panel(t, losingNodes), vars, 30*time.Minute)["A"], "cause")
				assert.InDelta(t, test.want["10"]/2, lost["10"], 0.01)
				usage := find(t, "gpucloud-usage")
				usage.Time.From = d.Time.From
				teams := by(t, g.over(t, usage.panel(t, "By team"), g.choose(t, usage, nil), 30*time.Minute)["A"], "team")
				assert.InDeltaMapValues(t, map[string]float64{"ada": 2}, teams, 0.01)
				assert.Equal(t, 1, read, "selectors that find something: that of the recording")
			} else {
				assert.Greater(t, read, 20)
			}
		})
	}
}

// TestGPUTime_ReadsLess compares with all incidents what the dashboard says if every metric is read of every GPU.
func TestGPUTime_ReadsLess(t *testing.T) {
	d, g := find(t, "gpucloud-gpu-time"), incidentTime(t, metrics.Exporter{})
	vars := g.fill(t, d)
	require.Equal(t, []string{"DCGM_FI_DEV_FB_USED"}, vars["every"].values)
	require.Equal(t, []string{";"}, vars["others"].values)
	require.Contains(t, vars["faulty"].values, "001")
	all := vars.one("others", "()").one("jobs", "()").one("every", "DCGM_FI_DEV_(FB_USED|GPU_UTIL)")
	for _, lacked := range []string{"no_util", "no_engine", "no_traffic", "no_energy", "no_minute"} {
		require.Equal(t, []string{";"}, vars[lacked].values, lacked)
		all = all.one(lacked, "()")
	}
	pools := d.panel(t, "GPU-hours by node pool")
	few := by(t, g.over(t, pools, vars, sixHours)["A"], "cause")
	assert.Positive(t, few["10"], "faulted")
	assert.Positive(t, few["20"], "throttled")
	assert.InDeltaMapValues(t, by(t, g.over(t, pools, all, sixHours)["A"], "cause"), few, 1e-6)
}

// TestGPUTime_ResolutionOnLargeFleets has 200,000 evaluations of a GPU in the range at most.
func TestGPUTime_ResolutionOnLargeFleets(t *testing.T) {
	d := find(t, "gpucloud-gpu-time")
	for nodes, every := range map[int]string{8: "60", 100: "121"} {
		g := newGrafana(t, platform.Config{Nodes: nodes})
		vars := g.choose(t, d, map[string]string{"has_gpus": "1"}) // which reads every GPU over the range
		require.Equal(t, []string{every}, vars["resolution"].values, "%d nodes, 6 h", nodes)
	}
}

// TestGPUTime_HoursCountEveryMinute compares GPU-hours of a day with the number of GPUs in each of its minutes. Jobs write checkpoints
// at regular times, so looks at round times only would find all of them or none.
func TestGPUTime_HoursCountEveryMinute(t *testing.T) {
	const day = 24 * time.Hour
	d := find(t, "gpucloud-gpu-time")
	g := newGrafana(t, platform.Config{GPUsPerNode: 2})
	vars := g.fill(t, d)

	want := map[string]float64{}
	counts := d.panel(t, "GPUs by cause")
	response := g.runQueries(t, []map[string]any{vars.into(counts.Targets[0])}, day, time.Minute, 10_000)["A"]
	require.NoError(t, response.Error)
	for _, frame := range response.Frames {
		require.InDelta(t, 1440, frame.Rows(), 1)
		for i := range frame.Rows() {
			value, err := frame.Fields[1].FloatAt(i)
			require.NoError(t, err)
			want[frame.Fields[1].Labels["cause"]] += value * day.Hours() / float64(frame.Rows())
		}
	}

	total := 0.0
	for cause, got := range by(t, g.over(t, d.panel(t, "GPU-hours by node pool"), vars, day)["A"], "cause") {
		assert.InDelta(t, want[cause], got, 0.2, cause)
		total += got
	}
	assert.InDelta(t, 16*24, total, 0.01, "every hour of every GPU has a cause")
}

// TestOverview_FaultsAreReadOfFewNodes has a GPU that is down: a variable finds its node, and only such nodes are classified.
func TestOverview_FaultsAreReadOfFewNodes(t *testing.T) {
	d := find(t, "gpucloud-gpu-overview")
	faults := d.panel(t, "Top faults")
	down := func(g grafana, vars values) []string {
		return textsIn(t, g.over(t, faults, vars, time.Hour)["A"], "node")
	}

	healthy := newGrafana(t, platform.Config{})
	vars := healthy.fill(t, d)
	assert.Equal(t, []string{"nobody"}, vars["down"].values)
	assert.Empty(t, down(healthy, vars))

	broken := newGrafana(t, platform.Config{Incidents: []scenario.Incident{scenario.GPUFailure}})
	vars = broken.fill(t, d)
	assert.Equal(t, []string{"ode-0001"}, vars["down"].values)
	assert.Equal(t, []string{"gpu-node-0001"}, down(broken, vars))
	assert.Equal(t, []string{"gpu-node-0001"}, down(broken, vars.one("down", "")), "without the search for nodes")

	idle := newGrafanaWith(t, `DCGM_FI_DEV_FB_USED{cluster_id="c", vm_name="n", gpu="0"} 1x60`, `DCGM_FI_DEV_GPU_UTIL{cluster_id="c", vm_name="n", gpu="0"} 0x60`, `DCGM_FI_DEV_XID_ERRORS{cluster_id="c", vm_name="n", gpu="0"} 13x60`)
	none := idle.over(t, faults, idle.fill(t, d), time.Hour)
	assert.Equal(t, []string{"No GPU is down"}, textsIn(t, none["A"], "sentence"))
	assert.False(t, hasValue(none["B"].Frames), "a code that an application causes")
}
