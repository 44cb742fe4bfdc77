package plugin_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestErrors_InvalidQuery(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	backwards := dataQuery(t, "A", values{"expr": "up"})
	backwards.TimeRange = backend.TimeRange{From: noon, To: noon.Add(-time.Hour)}
	notJSON := dataQuery(t, "A", nil)
	notJSON.JSON = []byte(`[1]`)
	for name, test := range map[string]struct {
		query   backend.DataQuery
		source  backend.ErrorSource
		message string
	}{
		"an empty expression":                        {dataQuery(t, "A", values{"expr": ""}), backend.ErrorSourceDownstream, "PromQL: the query is empty"},
		"a broken expression, in the engine's words": {dataQuery(t, "A", values{"expr": "sum(up"}), backend.ErrorSourceDownstream, "parse error"},
		"a range that ends before it starts":         {backwards, backend.ErrorSourceDownstream, "Time range: it ends before it starts"},
		"an unknown format":                          {dataQuery(t, "A", values{"expr": "up", "format": "pie"}), backend.ErrorSourceDownstream, `Format: "pie" is not known`},
		"a field of the wrong type":                  {dataQuery(t, "A", values{"expr": 5}), backend.ErrorSourceDownstream, `field "expr" holds a number where a text belongs`},
		"a variable that nothing filled in":          {dataQuery(t, "A", values{"queryType": "placement", "gpus": "$n"}), backend.ErrorSourceDownstream, `field "gpus" holds a text where a number belongs`},
		"something that is not a query":              {notJSON, backend.ErrorSourceDownstream, "Query: "},
	} {
		t.Run(name, func(t *testing.T) {
			got := runQueries(t, ds, test.query)["A"]
			require.ErrorContains(t, got.Error, test.message)
			require.Equal(t, backend.StatusBadRequest, got.Status)
			require.Equal(t, test.source, got.ErrorSource)
			require.Empty(t, got.Frames)
		})
	}
}

func TestErrors_InvalidSettings(t *testing.T) {
	_, address := newPlatform(t)
	for name, test := range map[string]struct {
		token    string
		settings values
		message  string
	}{
		"no address":                          {"t", values{"baseUrl": nil}, "No base address is set"},
		"no project":                          {"t", values{"projectId": ""}, "No project id is set"},
		"no token":                            {"", nil, "No monitoring token is set"},
		"a token of blanks":                   {"  ", nil, "No monitoring token is set"},
		"an address without a scheme":         {"t", values{"baseUrl": "api.example.com"}, "not an absolute address"},
		"a metrics address of another scheme": {"t", values{"metricsUrl": "ftp://x/y"}, "full metrics address is not an absolute address"},
		"a scrape interval in words":          {"t", values{"timeInterval": "often"}, "Scrape interval is not a duration"},
		"a scrape interval of microseconds":   {"t", values{"timeInterval": "500us"}, "Scrape interval is not a duration"},
		"a header name that is a number":      {"t", values{"httpHeaderName1": 7}, "Names of custom headers"},
		"a structure for an address":          {"t", values{"baseUrl": values{}}, "baseUrl can't be a object"},
		"a certificate that is none":          {"t", values{"tlsAuthWithCACert": true}, "TLS or proxy settings can't be used"},
	} {
		t.Run(name, func(t *testing.T) {
			ds := newDatasourceWith(t, address, test.settings, map[string]string{"monitoringToken": test.token, "httpHeaderValue1": "x", "tlsCACert": "no certificate"})
			got := runQueries(t, ds, dataQuery(t, "A", values{"expr": "up"}))["A"]
			require.ErrorContains(t, got.Error, test.message)
			require.Equal(t, backend.StatusBadRequest, got.Status)
			status, body := resource(t, ds, &backend.CallResourceRequest{Path: "api/v1/labels"})
			require.Equal(t, http.StatusBadRequest, status)
			require.Contains(t, body, test.message)
		})
	}
}

func TestErrors_PlatformStatus(t *testing.T) {
	const refused = "http://127.0.0.1:1" // a port that no other test may get meanwhile
	for name, test := range map[string]struct {
		fault   platform.Fault
		status  backend.Status
		message string
	}{
		"500":               {platform.Fault{Status: 500, Body: `{"code":"internal_error","message":"disk full"}`}, 500, "failed (500): disk full"},
		"422":               {platform.Fault{Status: 422, Body: `{"code":"bad_request","message":"too much"}`}, 400, "too much"},
		"429":               {platform.Fault{Status: 429, Headers: map[string]string{"Retry-After": "3600"}}, 429, "rate limiting"},
		"HTML":              {platform.Fault{Kind: platform.FaultHTML, Status: 200}, 502, "web page"},
		"a cut body":        {platform.Fault{Kind: platform.FaultCutBody}, 502, "sent an incomplete response"},
		"cut JSON":          {platform.Fault{Status: 200, Body: `{"status":"success","data":{"resultType":"matrix","result":[`}, 502, "isn't complete"},
		"an empty body":     {platform.Fault{Status: 200, Body: " "}, 502, "isn't complete"},
		"another JSON":      {platform.Fault{Status: 200, Body: `{"items":[]}`}, 502, "isn't complete"},
		"an error with 200": {platform.Fault{Status: 200, Body: `{"status":"error","errorType":"execution","error":"query died"}`}, 400, "query died"},
		"a redirect":        {platform.Fault{Kind: platform.FaultRedirect, Location: refused}, 502, "redirects to another host"},
	} {
		t.Run(name, func(t *testing.T) {
			p, address := newPlatform(t)
			p.Inject(test.fault)
			t.Cleanup(p.ClearFaults)
			ds := newDatasource(t, address, values{"queryTimeout": "1s"})
			got := runQueries(t, ds, dataQuery(t, "A", values{"expr": "DCGM_FI_DEV_GPU_UTIL"}))["A"]
			require.ErrorContains(t, got.Error, test.message)
			require.Equal(t, test.status, got.Status)
			require.Equal(t, backend.ErrorSourceDownstream, got.ErrorSource)
			require.Empty(t, got.Frames, "no partial result")
			for _, private := range []string{address, "127.0.0.1", platform.DefaultMonitoringToken} {
				require.NotContains(t, got.Error.Error(), private)
			}
		})
	}
	t.Run("an unreachable host", func(t *testing.T) {
		got := runQueries(t, newDatasource(t, refused, nil), dataQuery(t, "A", values{"expr": "up"}))["A"]
		require.EqualError(t, got.Error, "The metrics endpoint can't be reached: the connection was refused.")
		require.Equal(t, backend.StatusBadGateway, got.Status)
	})
	t.Run("a body over the limit", func(t *testing.T) {
		_, address := newPlatform(t)
		ds := newDatasource(t, address, values{"maxResponseMegabytes": 0.01})
		got := runQueries(t, ds, dataQuery(t, "A", values{"expr": "DCGM_FI_DEV_GPU_UTIL"}))["A"]
		require.ErrorContains(t, got.Error, "more than the response limit")
		require.Equal(t, backend.StatusBadGateway, got.Status)
	})
	t.Run("a wrong token", func(t *testing.T) {
		_, address := newPlatform(t)
		ds := newDatasourceWith(t, address, nil, map[string]string{"monitoringToken": "wrong-token"})
		got := runQueries(t, ds, dataQuery(t, "A", values{"expr": "up"}))["A"]
		require.ErrorContains(t, got.Error, "refused the monitoring token (401)")
		require.NotContains(t, got.Error.Error(), "$", "most data sources aren't provisioned")
		require.Equal(t, backend.StatusUnauthorized, got.Status)
		require.NotContains(t, got.Error.Error(), "wrong-token")
	})
}
