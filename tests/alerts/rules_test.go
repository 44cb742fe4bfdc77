package alerts_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
)

const provisioned = "../../provisioning/alerting"

// rule is an alert rule of a provisioning file.
type rule struct {
	UID           string            `yaml:"uid"`
	Title         string            `yaml:"title"`
	Condition     string            `yaml:"condition"`
	For           duration          `yaml:"for"`
	KeepFiringFor duration          `yaml:"keepFiringFor"`
	NoDataState   string            `yaml:"noDataState"`
	ExecErrState  string            `yaml:"execErrState"`
	Labels        map[string]string `yaml:"labels"`
	Annotations   map[string]string `yaml:"annotations"`
	Data          []node            `yaml:"data"`

	file     string
	interval time.Duration
}

// node is a query or an expression of a rule.
type node struct {
	RefID             string `yaml:"refId"`
	DatasourceUID     string `yaml:"datasourceUid"`
	RelativeTimeRange struct {
		From, To int // seconds ago
	} `yaml:"relativeTimeRange"`
	Model map[string]any `yaml:"model"`
}

const expressionUID = "__expr__"

func (n node) isExpression() bool { return n.DatasourceUID == expressionUID }

type duration time.Duration

func (d *duration) UnmarshalYAML(value *yaml.Node) error {
	parsed, err := model.ParseDuration(value.Value)
	*d = duration(parsed)
	return err
}

// rules reads every provisioned rule, by its uid without "gpucloud-".
func rules(t *testing.T) map[string]rule {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(provisioned, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	found := map[string]rule{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		var read struct {
			Groups []struct {
				Interval duration `yaml:"interval"`
				Rules    []rule   `yaml:"rules"`
			} `yaml:"groups"`
		}
		require.NoError(t, yaml.Unmarshal(content, &read), file)
		for _, group := range read.Groups {
			for _, r := range group.Rules {
				const prefix = "gpucloud-"
				require.Greater(t, len(r.UID), len(prefix), "%s in %s", r.Title, file)
				id := r.UID[len(prefix):]
				require.NotContains(t, found, id, "each uid once")
				r.file, r.interval = file, time.Duration(group.Interval)
				found[id] = r
			}
		}
	}
	return found
}

// isPromQL reports whether all queries of a rule are on metrics.
func (r rule) isPromQL() bool {
	return !slices.ContainsFunc(r.Data, func(n node) bool { return !n.isExpression() && n.Model["expr"] == nil || n.Model["queryType"] != nil })
}

// TestRules_Length has queries that a person can read and tune.
func TestRules_Length(t *testing.T) {
	for id, r := range rules(t) {
		for _, n := range r.Data {
			expr, _ := n.Model["expr"].(string)
			require.LessOrEqual(t, len(expr), 4096, id)
		}
	}
}

// series is a data source whose metrics service has the series given, in the notation of Prometheus' tests: a sample a
// minute from the time 0 on.
func series(t *testing.T, lines ...string) *plugin.Datasource {
	t.Helper()
	jsonData := map[string]any{"metricsUrl": scenes.Serve(t, minute(0), minute(0), lines...), "cache": map[string]any{"enabled": false}}
	return datasource.New(t, jsonData, map[string]string{"monitoringToken": "token"})
}

// minute is a time in the load of series.
func minute(n int) time.Time { return time.Unix(int64(n)*60, 0).UTC() }
