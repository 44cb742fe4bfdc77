package plugin_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

// nothingToTell responds to every request with an empty result.
func nothingToTell(f *testing.F) string {
	f.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"matrix","result":[]}}`))
	}))
	f.Cleanup(server.Close)
	return server.URL
}

// FuzzQueryJSON runs any saved query, PromQL with its macros and filters included. The result is frames, or an error in valid
// UTF-8, without a panic.
func FuzzQueryJSON(f *testing.F) {
	for _, saved := range []string{
		"", "null", "[]", `{"expr":"up"}`, `{"expr":"rate(up[$__rate_interval])","interval":"1s"}`, `{"expr":"up","instant":true,"format":"table"}`,
		`{"expr":"up","format":"heatmap","legendFormat":"{{a}}"}`, `{"expr":"sum(","scopes":[{"filters":[{"key":"a","operator":"regex-match","value":"("}]}]}`,
		`{"expr":"up","adhocFilters":[{"key":"a b","operator":"equals","value":"\""}],"scopes":[{}]}`, `{"expr":"up","intervalMs":-1,"intervalFactor":1e18}`,
		`{"expr":"up","utcOffsetSec":9e15}`, `{"expr":"$__range_s $__interval_ms"}`, `{"queryType":"platform","path":"/v1/x"}`, `{"queryType":"nonsense"}`,
	} {
		f.Add(saved, int64(0), int64(3600), int64(60), int64(100))
	}
	instance, err := plugin.New(f.Context(), backend.DataSourceInstanceSettings{
		JSONData: []byte(`{"baseUrl":"` + nothingToTell(f) + `","projectId":"p"}`), DecryptedSecureJSONData: map[string]string{"monitoringToken": "t"},
	})
	require.NoError(f, err)
	ds := instance.(*plugin.Datasource)
	f.Cleanup(ds.Dispose)
	f.Fuzz(func(t *testing.T, saved string, from, length, interval, points int64) {
		response, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{{
			RefID: "A", JSON: []byte(saved), Interval: time.Duration(interval), MaxDataPoints: points,
			TimeRange: backend.TimeRange{From: time.Unix(from%1e10, 0), To: time.Unix(from%1e10+length%1e8, 0)},
		}}})
		require.NoError(t, err)
		got := response.Responses["A"]
		if got.Error != nil {
			require.True(t, utf8.ValidString(got.Error.Error()), "%q", got.Error)
			require.NotContains(t, got.Error.Error(), "unexpected error", "a panic")
			require.NotZero(t, got.Status)
		}
		_, err = json.Marshal(got)
		require.NoError(t, err)
	})
}

// FuzzSettings makes data sources with any jsonData. None fails, and requests have errors about the settings.
func FuzzSettings(f *testing.F) {
	for _, jsonData := range []string{
		"", "null", "[]", "{}", `{"baseUrl":1}`, `{"baseUrl":"http://[::1","projectId":{}}`, `{"timeout":"x"}`, `{"httpHeaderName1":7}`, `{"tlsAuth":true,"serverName":"x"}`,
		`{"timeInterval":"0s","queryTimeout":-1}`, `{"maxResponseMegabytes":1e300}`, `{"cache":{"maxMegabytes":-1}}`, `{"customQueryParameters":"%"}`, `{"intelligenceUrl":"ftp://x"}`,
	} {
		f.Add(jsonData, "token", "c2VjcmV0")
	}
	f.Fuzz(func(t *testing.T, jsonData, token, secret string) {
		instance, err := plugin.New(t.Context(), backend.DataSourceInstanceSettings{JSONData: []byte(jsonData), DecryptedSecureJSONData: map[string]string{
			"monitoringToken": token, "inferenceApiKey": token, "secretKey": secret, "httpHeaderValue1": token,
		}})
		require.NoError(t, err)
		instance.(*plugin.Datasource).Dispose()
	})
}

// FuzzResource requests any resource. The response has a status, without a panic.
func FuzzResource(f *testing.F) {
	for _, path := range []string{
		"", "/", "api/v1/query", "api/v1/label/a/values", "api/v1/label/%2e%2e/values", "jobs", "checkpoints/a/content", "checkpoints/../content", "//", "api/v1/series?match[]=x",
	} {
		f.Add("GET", path, "query=up&start=1&end=2&step=1", "")
		f.Add("POST", path, "match[]=up&limit=0", `{"queries":["up"],"labelName":"a"}`)
	}
	instance, err := plugin.New(f.Context(), backend.DataSourceInstanceSettings{
		JSONData: []byte(`{"baseUrl":"` + nothingToTell(f) + `","projectId":"p"}`), DecryptedSecureJSONData: map[string]string{"monitoringToken": "t"},
	})
	require.NoError(f, err)
	ds := instance.(*plugin.Datasource)
	f.Cleanup(ds.Dispose)
	f.Fuzz(func(t *testing.T, method, path, params, body string) {
		address := path + "?" + params
		if _, err := url.Parse(address); err != nil {
			return // Grafana rejects it
		}
		status := 0
		err := ds.CallResource(t.Context(), &backend.CallResourceRequest{
			Method: method, Path: path, URL: address, Body: []byte(body), Headers: map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}},
		}, backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
			status = max(status, r.Status)
			return nil
		}))
		if err == nil {
			require.GreaterOrEqual(t, status, 200)
		} else {
			require.EqualError(t, err, "the response broke off before its end")
		}
	})
}
