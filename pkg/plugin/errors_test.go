package plugin_test

import (
	"net/http"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

func TestErrors_InvalidQuery(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	notJSON := dataQuery(t, "A", nil)
	notJSON.JSON = []byte(`[1]`)
	for name, test := range map[string]struct {
		query   backend.DataQuery
		source  backend.ErrorSource
		message string
	}{
		"an empty expression":                        {dataQuery(t, "A", values{"expr": ""}), backend.ErrorSourceDownstream, "PromQL: the query is empty"},
		"a broken expression, in the engine's words": {dataQuery(t, "A", values{"expr": "sum(up"}), backend.ErrorSourceDownstream, "parse error"},
		"an unknown format":                          {dataQuery(t, "A", values{"expr": "up", "format": "pie"}), backend.ErrorSourceDownstream, `Format: "pie" is not known`},
		"a field of the wrong type":                  {dataQuery(t, "A", values{"expr": 5}), backend.ErrorSourceDownstream, `field "expr" must be a string, not a JSON number`},
		"a variable that nothing filled in":          {dataQuery(t, "A", values{"queryType": "placement", "gpus": "$n"}), backend.ErrorSourceDownstream, `field "gpus" must be a number, not a JSON string`},
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
		"a scrape interval of microseconds":   {"t", values{"timeInterval": "500us"}, "Scrape interval is not a duration"},
		"a header name that is a number":      {"t", values{"httpHeaderName1": 7}, "Names of custom headers"},
		"a structure for an address":          {"t", values{"baseUrl": values{}}, "must be a string, not a JSON object"},
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
