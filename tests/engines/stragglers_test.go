//go:build engines

package engines

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// stragglerQuery is the query A of a panel of the dashboard of stragglers, with its variables replaced.
func stragglerQuery(t *testing.T, title string) string {
	t.Helper()
	return readDashboard(t, "stragglers").expr(t, title, map[string]string{"host": "vm_name", "cluster": stragglerCluster, "throttled_in": "1e9"})
}

// ruleQuery is the query A of a provisioned alert rule.
func ruleQuery(t *testing.T, id string) string {
	t.Helper()
	text, err := os.ReadFile("../../provisioning/alerting/metrics.yaml")
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []struct {
				UID  string
				Data []struct{ Model struct{ Expr string } }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if rule.UID == "gpucloud-"+id {
				return rule.Data[0].Model.Expr
			}
		}
	}
	require.Fail(t, "there is no rule", id)
	return ""
}

// suspectsAt are what a query finds at a time: a line for each series, of the given labels.
func suspectsAt(t *testing.T, e *engine, expr string, at time.Time, labels ...string) []string {
	t.Helper()
	ds := newDatasource(t, e.address, uncached)
	found := frames(t, ds, saved{"expr": expr, "instant": true, "range": false}, at, at)
	var lines []string
	for _, frame := range found {
		for _, field := range frame.Fields {
			if field.Labels["vm_name"] != "" && field.Labels["cluster_id"] != stragglerCluster {
				continue // samples of other tests
			}
			if field.Type().Numeric() && field.Len() > 0 {
				lines = append(lines, line(field, labels))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func line(field *data.Field, labels []string) string {
	values := make([]string, len(labels))
	for i, label := range labels {
		values[i] = field.Labels[label]
	}
	return strings.Join(values, " ")
}

// truth are the GPUs that hold up their peers, as suspectsAt has them. Of a slow node all GPUs are alike, and two GPUs are too few.
func truth(causes ...string) []string {
	var lines []string
	for _, job := range simulatedJobs() {
		for name, f := range job.faults {
			node, gpu, ok := strings.Cut(name, "/")
			if ok && job.only == 0 && slices.Contains(causes, f.cause) {
				lines = append(lines, fmt.Sprintf("%s %s %s", node, gpu, f.cause))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// times are some times of the samples, in minutes since their first.
func (d dataset) times(from, to int) []time.Time {
	const every = 7
	var list []time.Time
	for minute := from; minute < to; minute += every {
		list = append(list, d.stragglersFrom().Add(time.Duration(minute)*time.Minute))
	}
	return list
}

const (
	faultMinute = int(faultAfter / time.Minute)
	lastMinute  = int(stragglerSpan / time.Minute)
	// settled is how long a straggler takes to be found.
	settled = 25
)

func TestStragglers_KnownTruth(t *testing.T) {
	panel := stragglerQuery(t, "GPUs slower than their peers, by clock and heat")
	for name, query := range map[string]struct {
		expr   string
		causes []string
	}{
		"dashboard":          {panel, []string{"heat", "power limit", "low clock", "PCIe"}},
		"rule gpu-straggler": {ruleQuery(t, "gpu-straggler"), []string{"heat", "power limit", "low clock"}},
		"rule gpu-pcie":      {ruleQuery(t, "gpu-pcie"), []string{"PCIe"}},
	} {
		onEach(t, func(t *testing.T, e *engine) {
			t.Run(name, func(t *testing.T) {
				for _, at := range samples.times(faultMinute+settled, lastMinute) {
					require.Equal(t, truth(query.causes...), suspectsAt(t, e, query.expr, at, "vm_name", "gpu", "cause"), "%s", at)
				}
				for _, at := range samples.times(15, faultMinute) {
					healthy := suspectsAt(t, e, query.expr, at, "vm_name", "gpu", "cause")
					if name == "dashboard" {
						require.Len(t, healthy, 1, "a sentence: %s", healthy)
						continue
					}
					require.Empty(t, healthy, "%s", at)
				}
			})
		})
	}
}

func TestStragglers_SlowNode(t *testing.T) {
	for name, expr := range map[string]string{
		"dashboard": stragglerQuery(t, "Nodes slower than their node pool, by heat and power limit"), "rule node-straggler": ruleQuery(t, "node-straggler"),
	} {
		onEach(t, func(t *testing.T, e *engine) {
			t.Run(name, func(t *testing.T) {
				for _, at := range samples.times(faultMinute+settled, lastMinute) {
					assert.Equal(t, []string{"slow-node-4 slow-node"}, suspectsAt(t, e, expr, at, "vm_name", "nodepool_name"), "%s", at)
				}
			})
		})
	}
}
