package plugin_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestWrongSettings_ListOrAddress(t *testing.T) {
	missing := dataQuery(t, "A", values{"queryType": "platform", "path": "/v1/projects/{projectId}/quota"})
	response, err := dataSourceOfBodies(t, nil)(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{missing}})
	require.NoError(t, err)
	got := response.Responses["A"]
	require.EqualError(t, got.Error, "The main API has no list projects/{projectId}/quota (404), or it is not at the base address of the data source's settings, section Connection. Check both, and the ids in the path.")
	require.EqualValues(t, http.StatusNotFound, got.Status)
	require.Equal(t, backend.ErrorSourceDownstream, got.ErrorSource)
}

func TestWrongSettings_SharedAddressWorks(t *testing.T) {
	address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"object":"list","data":[]}`)) })
	ds := newDatasourceWith(t, address, values{"intelligenceUrl": address}, map[string]string{"inferenceApiKey": "key-of-inference"})
	require.NotContains(t, health(t, ds).Message, "main API's base address")
	require.NoError(t, runQueries(t, ds, dataQuery(t, "A", values{"queryType": "fineTuningJobs"}))["A"].Error)
}

func TestWrongSettings_TimestampHeader(t *testing.T) {
	for header, valid := range map[string]bool{
		"X-Vendor-Timestamp": true, "x-time": true, "": true, " X-Time ": true,
		"X Vendor Timestamp": false, "X-Vendor-Timestamp:": false, "X-Zeit-ä": false, "X\nY": false, "Authorization": false, "host": false,
	} {
		t.Run(header, func(t *testing.T) {
			address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(someCapacities)) })
			ds := newDatasourceWith(t, address, values{"accessKeyId": "AK", "timestampHeader": header}, map[string]string{"secretKey": mainSecret})
			got := runQueries(t, ds, dataQuery(t, "A", values{"queryType": "capacities"}))["A"]
			if valid {
				require.NoError(t, got.Error)
				return
			}
			const want = "The setting Timestamp header is not a name that the header of the signature's time can have. Write for example X-Vendor-Timestamp in the data source's settings, section Main API."
			require.EqualError(t, got.Error, want)
			require.Equal(t, backend.StatusBadRequest, got.Status)
			require.Contains(t, health(t, ds).Message, "Main API: "+want)
		})
	}
}

func TestWrongSettings_ControlCharacter(t *testing.T) {
	tests := []struct {
		name, section string
		settings      values
		secrets       map[string]string
		query         values
	}{
		{"monitoring token", "Metrics", nil, map[string]string{"monitoringToken": "to\nken"}, values{"expr": "up"}},
		{"inference API key", "Fine-tuning", values{"intelligenceUrl": "https://gateway.example"}, map[string]string{"inferenceApiKey": "k\x00ey"}, values{"queryType": "fineTuningJobs"}},
		{"access key id", "Main API", values{"accessKeyId": "A\rK"}, map[string]string{"secretKey": mainSecret}, values{"queryType": "capacities"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var requests atomic.Int32
			address := serveFunc(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
			ds := newDatasourceWith(t, address, test.settings, test.secrets)
			got := runQueries(t, ds, dataQuery(t, "A", test.query))["A"]
			require.EqualError(t, got.Error, "The "+test.name+" has a control character, such as a line break, which no HTTP header can have. "+
				"Set it again in the data source's settings, section "+test.section+".")
			require.Equal(t, backend.StatusBadRequest, got.Status)
			require.Zero(t, requests.Load())
		})
	}
}

// Settings of the metrics alone stop the metrics alone.
func TestWrongSettings_OfMetricsStopNoOtherService(t *testing.T) {
	t.Parallel()
	_, address := newPlatformWith(t, platform.Config{Now: time.Now})
	for name, test := range map[string]struct {
		settings values
		message  string
	}{
		"a scrape interval":   {values{"timeInterval": "often"}, "The setting Scrape interval is not a duration."},
		"one of nothing":      {values{"timeInterval": "0s"}, "The setting Scrape interval is not a duration."},
		"a query timeout":     {values{"queryTimeout": "-1s"}, "The setting Query timeout is not a duration."},
		"a recent window":     {values{"cache": values{"recentWindow": "soon"}}, "The setting Recent window is not a duration."},
		"a window of nothing": {values{"cache": values{"recentWindow": "0s"}}, "The setting Recent window is not a duration."},
		"no number as size":   {values{"cache": values{"maxMegabytes": "many"}}, `"maxMegabytes" must be a number`},
		"a cache of perhaps":  {values{"cache": values{"enabled": "perhaps"}}, "The setting Cache is neither true nor false."},
		"a text for a cache":  {values{"cache": "on"}, `"cache" must be an object, not a JSON string`},
		"query parameters":    {values{"customQueryParameters": "a=%zz"}, "The setting Custom query parameters is not of the form"},
		"a list as parameter": {values{"customQueryParameters": []string{"a"}}, "can't be read"},
	} {
		t.Run(name, func(t *testing.T) {
			ds := newWorkingDatasource(t, address, test.settings)
			responses := runQueries(t, ds, dataQuery(t, "A", values{"queryType": "fineTuningJobs"}), dataQuery(t, "B", values{"queryType": "capacities"}),
				dataQuery(t, "C", values{"expr": "up"}))
			require.NoError(t, responses["A"].Error)
			require.NoError(t, responses["B"].Error)
			require.ErrorContains(t, responses["C"].Error, test.message)
			require.Equal(t, backend.StatusBadRequest, responses["C"].Status)
		})
	}
}
