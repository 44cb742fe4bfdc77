package plugin_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// placed is the response to a query of placement over the last hour.
func placed(t *testing.T, ds *plugin.Datasource, saved values) backend.DataResponse {
	t.Helper()
	now := time.Now()
	q := dataQuery(t, "A", saved)
	q.TimeRange = backend.TimeRange{From: now.Add(-time.Hour), To: now}
	return runQueries(t, ds, q)["A"]
}

func placedFrames(t *testing.T, ds *plugin.Datasource, saved values) data.Frames {
	t.Helper()
	response := placed(t, ds, saved)
	require.NoError(t, response.Error)
	return response.Frames
}

// TestPlacement_Outages fails each service in turn, on the simulated platform, where nothing but own nodes has room for one GPU.
func TestPlacement_Outages(t *testing.T) {
	t.Parallel()
	refused := "The platform accepted the access key but does not allow it to do this (403). Check it, and the ids in the address, in the data source's settings."
	for name, test := range map[string]struct {
		fault platform.Fault
		want  map[string]string // errors by format; "" is a result
		says  string            // notice of the table
	}{
		"main API":   {platform.Fault{Service: platform.ServiceMain, Status: http.StatusForbidden}, map[string]string{"table": "", "answer": refused, "number": refused, "nodes": ""}, "New machines are not considered. " + refused},
		"capacities": {platform.Fault{Service: platform.ServiceMain, Path: "/capacities$", Status: http.StatusForbidden}, map[string]string{"table": "", "answer": refused, "number": refused}, "New machines are not considered. " + refused},
		"quotas":     {platform.Fault{Service: platform.ServiceMain, Path: "/quotas$", Status: http.StatusForbidden}, map[string]string{"table": "", "answer": refused, "number": refused}, "Quotas are not considered. " + refused},
		"types":      {platform.Fault{Service: platform.ServiceMain, Path: "/types$", Status: http.StatusForbidden}, map[string]string{"table": "", "answer": refused, "number": refused}, "Machine types are not considered. " + refused},
		"metrics":    {platform.Fault{Service: platform.ServiceMetrics, Status: http.StatusForbidden}, map[string]string{"table": "", "answer": "403", "number": "403", "nodes": "403"}, "Own idle nodes are not considered. "},
		"everything": {platform.Fault{Status: http.StatusForbidden}, map[string]string{"table": "403", "answer": "403", "number": "403", "nodes": "403"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, address := newPlatformWith(t, platform.Config{Now: time.Now})
			p.Inject(test.fault)
			ds := newDatasourceWith(t, address, values{"accessKeyId": platform.DefaultAccessKeyID},
				map[string]string{"monitoringToken": platform.DefaultMonitoringToken, "secretKey": platform.DefaultSecretKey})
			for format, want := range test.want {
				response := placed(t, ds, values{"queryType": "placement", "gpus": 1000, "format": format})
				if want != "" {
					require.ErrorContains(t, response.Error, want, format)
					continue
				}
				require.NoError(t, response.Error, format)
				if format == "table" {
					require.NotZero(t, response.Frames[0].Rows())
					require.Contains(t, noticeTexts(response.Frames[0]), test.says)
				}
			}
		})
	}
}

// A stat panel shows fields of numbers only, unless it is told another.
func TestPlacement_AnswerInStatPanel(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Now: time.Now})
	ds := newDatasourceWith(t, address, values{"accessKeyId": platform.DefaultAccessKeyID},
		map[string]string{"monitoringToken": platform.DefaultMonitoringToken, "secretKey": platform.DefaultSecretKey})
	frame := placedFrames(t, ds, values{"queryType": "placement", "gpus": 1, "format": "answer"})[0]
	require.Equal(t, "stat", frame.Meta.PreferredVisualizationPluginID)
	sentence := frame.Fields[0].At(0).(string)
	for _, field := range frame.Fields {
		if field.Type().Numeric() {
			mapped, err := json.Marshal(field.Config.Mappings)
			require.NoError(t, err)
			require.Equal(t, 2, strings.Count(string(mapped), sentence), "of each number, and of none: %s", mapped)
		}
	}
}

func TestPlacement_MissingCredentials(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Now: time.Now})
	for name, test := range map[string]struct {
		settings values
		secrets  map[string]string
		source   any
		notice   string
	}{
		"main API": {nil, map[string]string{"monitoringToken": platform.DefaultMonitoringToken}, "own nodes",
			"Capacities and quotas are not considered. No access key id is set. Set it in the data source's settings, section Main API."},
		"metrics": {values{"accessKeyId": platform.DefaultAccessKeyID}, map[string]string{"secretKey": platform.DefaultSecretKey}, "new machines",
			"Own idle nodes are not considered. No monitoring token is set. Set it in the data source's settings, section Metrics."},
		"both": {nil, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ds := newDatasourceWith(t, address, test.settings, test.secrets)
			if test.source == nil {
				response := placed(t, ds, values{"queryType": "placement", "gpus": 8})
				require.ErrorContains(t, response.Error, "No access key id is set.")
				return
			}
			frame := placedFrames(t, ds, values{"queryType": "placement", "gpus": 8})[0]
			rows := rowsOf(frame)
			require.NotEmpty(t, rows)
			for _, row := range rows {
				require.Equal(t, test.source, row["source"])
			}
			require.Contains(t, noticeTexts(frame), test.notice)
			answer := placedFrames(t, ds, values{"queryType": "placement", "gpus": 100_000, "format": "answer"})[0]
			require.Regexp(t, `^Perhaps: (capacities and quotas|own idle nodes) are not considered\. Else at most \d+, `, answer.Fields[0].At(0))
			require.Equal(t, "unknown", answer.Fields[1].At(0))
			answer = placedFrames(t, ds, values{"queryType": "placement", "gpus": 8, "types": []string{"none"}, "format": "answer"})[0]
			require.Regexp(t, `^Perhaps: (capacities and quotas|own idle nodes) are not considered\.$`, answer.Fields[0].At(0))
			numbers := placedFrames(t, ds, values{"queryType": "placement", "format": "number"})
			require.NotEmpty(t, numbers[0].Fields)
			require.Contains(t, noticeTexts(numbers[0]), test.notice)
		})
	}
}
