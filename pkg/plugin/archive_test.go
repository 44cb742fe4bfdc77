package plugin_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// endpoint is a Prometheus API that records the headers of its requests. It has no samples, and fails if it has a status.
type endpoint struct {
	url    string
	status int
	body   string

	mu      sync.Mutex
	headers []http.Header
}

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	e := &endpoint{body: `{"status":"success","data":{"resultType":"matrix","result":[]}}`}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.headers = append(e.headers, r.Header.Clone())
		e.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if e.status != 0 {
			w.WriteHeader(e.status)
		}
		_, _ = io.WriteString(w, e.body)
	}))
	t.Cleanup(server.Close)
	e.url = server.URL
	return e
}

// newArchived is a data source with an archive, and custom headers for the platform.
func newArchived(t *testing.T, platform, archive *endpoint, changes values, secrets map[string]string) *plugin.Datasource {
	t.Helper()
	settings := values{"url": archive.url + "/prometheus/api/v1/"}
	for name, value := range changes {
		settings[name] = value
	}
	secure := map[string]string{"monitoringToken": "the-monitoring-token", "httpHeaderValue1": "the-platform-header"}
	for name, value := range secrets {
		secure[name] = value
	}
	return newDatasourceWith(t, platform.url, values{"archive": settings, "httpHeaderName1": "X-Platform"}, secure)
}

func overSeam(t *testing.T, ds *plugin.Datasource, headers map[string]string) backend.DataResponse {
	t.Helper()
	encoded, err := json.Marshal(values{"expr": "up", "range": true})
	require.NoError(t, err)
	response, err := ds.QueryData(context.Background(), &backend.QueryDataRequest{Headers: headers, Queries: []backend.DataQuery{{
		RefID: "A", JSON: encoded, MaxDataPoints: 100, Interval: time.Hour,
		TimeRange: backend.TimeRange{From: time.Now().Add(-90 * 24 * time.Hour), To: time.Now()},
	}}})
	require.NoError(t, err)
	return response.Responses["A"]
}

func TestArchive_Credentials(t *testing.T) {
	for name, test := range map[string]struct {
		settings values
		secrets  map[string]string
		want     map[string]string
	}{
		"none":  {nil, nil, map[string]string{"Authorization": ""}},
		"token": {nil, map[string]string{"archiveToken": "the-archive-token"}, map[string]string{"Authorization": "Bearer the-archive-token"}},
		"user": {values{"user": "grafana"}, map[string]string{"archivePassword": "secret"},
			map[string]string{"Authorization": "Basic Z3JhZmFuYTpzZWNyZXQ="}},
		"header": {values{"headerName": "X-Scope-OrgID"}, map[string]string{"archiveHeader": "tenant-1", "archiveToken": "the-archive-token"},
			map[string]string{"X-Scope-OrgID": "tenant-1", "Authorization": "Bearer the-archive-token"}},
	} {
		t.Run(name, func(t *testing.T) {
			platform, archive := newEndpoint(t), newEndpoint(t)
			ds := newArchived(t, platform, archive, test.settings, test.secrets)
			response := overSeam(t, ds, map[string]string{"http_X-Grafana-User": "admin", "Cookie": "grafana_session=1"})
			require.NoError(t, response.Error)
			require.NotEmpty(t, archive.headers)
			require.NotEmpty(t, platform.headers)
			for header, value := range test.want {
				require.Equal(t, value, archive.headers[0].Get(header))
			}
			for _, values := range archive.headers[0] {
				require.NotContains(t, strings.Join(values, " "), "the-monitoring-token")
				require.NotContains(t, strings.Join(values, " "), "the-platform-header")
				require.NotContains(t, strings.Join(values, " "), "grafana_session")
			}
			require.Equal(t, "Bearer the-monitoring-token", platform.headers[0].Get("Authorization"))
			require.Equal(t, "the-platform-header", platform.headers[0].Get("X-Platform"))
			require.Empty(t, platform.headers[0].Get("X-Scope-OrgID"))
		})
	}
}

// An archive that repeats its token in a result is shown without it.
func TestArchive_RedactedResult(t *testing.T) {
	platform, archive := newEndpoint(t), newEndpoint(t)
	archive.body = `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"sent":"the-archive-token"},"values":[[1,"1"]]}]}}`
	ds := newArchived(t, platform, archive, nil, map[string]string{"archiveToken": "the-archive-token"})
	response := overSeam(t, ds, nil)
	require.NoError(t, response.Error)
	require.Equal(t, "*****************", response.Frames[0].Fields[1].Labels["sent"])
}

// An archive that repeats its credentials in an error is not quoted with them.
func TestArchive_Redacted(t *testing.T) {
	platform, archive := newEndpoint(t), newEndpoint(t)
	archive.status, archive.body = http.StatusUnauthorized, `{"status":"error","error":"the-archive-token and Z3JhZmFuYTpzZWNyZXQ= of tenant-1"}`
	ds := newArchived(t, platform, archive, nil, map[string]string{"archiveToken": "the-archive-token"})
	response := overSeam(t, ds, nil)
	require.NoError(t, response.Error)
	notice := response.Frames[0].Meta.Notices[0].Text
	require.Contains(t, notice, "credential of the archive")
	require.Contains(t, notice, "section Archive")
	require.NotContains(t, notice, "the-archive-token")
	require.NotContains(t, notice, "127.0.0.1")

	response = overSeam(t, ds, map[string]string{"FromAlert": "true"})
	require.Error(t, response.Error, "an alert rule needs both parts")
}

func TestArchive_Health(t *testing.T) {
	platform, archive := newEndpoint(t), newEndpoint(t)
	ds := newArchived(t, platform, archive, nil, nil)
	health, err := ds.CheckHealth(context.Background(), &backend.CheckHealthRequest{})
	require.NoError(t, err)
	require.Equal(t, backend.HealthStatusOk, health.Status)
	require.Regexp(t, `(?m)^✓ Metrics: .*\n✓ Archive: a range query took \d+ ms\.$`, health.Message)

	archive.status = http.StatusBadGateway
	health, err = ds.CheckHealth(context.Background(), &backend.CheckHealthRequest{})
	require.NoError(t, err)
	require.Equal(t, backend.HealthStatusError, health.Status)
	require.Regexp(t, `(?m)^✓ Metrics: .*\n✗ Archive: The archive `, health.Message)
}

func TestArchive_WrongSettings(t *testing.T) {
	platform, archive := newEndpoint(t), newEndpoint(t)
	for name, test := range map[string]struct {
		settings values
		secrets  map[string]string
		message  string
	}{
		"two credentials": {values{"user": "grafana"}, map[string]string{"archiveToken": "token"}, "The archive has a token and a user."},
		"a header":        {values{"headerName": "X Scope"}, nil, "The setting Header of the archive is not the name of a header"},
		"authorization":   {values{"headerName": "authorization"}, nil, "The setting Header of the archive is not the name of a header"},
		"a line break":    {nil, map[string]string{"archiveToken": "a\nb"}, "The archive token has a control character"},
		"a certificate":   {nil, map[string]string{"archiveTlsCaCert": "not PEM"}, "The archive's TLS settings can't be used."},
	} {
		t.Run(name, func(t *testing.T) {
			ds := newArchived(t, platform, archive, test.settings, test.secrets)
			require.ErrorContains(t, overSeam(t, ds, map[string]string{"FromAlert": "true"}).Error, test.message)
		})
	}
	require.Empty(t, archive.headers)
}

// What is wrong with the archive concerns queries of samples that are older than the platform's, and no other.
func TestArchive_WrongSettingsStopNothingElse(t *testing.T) {
	t.Parallel()
	_, address := newPlatformWith(t, platform.Config{Now: time.Now})
	for name, test := range map[string]struct {
		archive any
		message string
	}{
		"a short retention":     {values{"retention": "30"}, "The setting Retention of the platform is below 2h."},
		"a retention in words":  {values{"retention": "a month"}, "The setting Retention of the platform is not a duration."},
		"an address":            {values{"url": "mimir:9009"}, "The archive's address is not an absolute address."},
		"a text for a list":     {values{"url": address, "dropLabels": "job"}, `"dropLabels" must be a list, not a JSON string`},
		"a text for everything": {"", "archive is not a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			ds := newWorkingDatasource(t, address, values{"archive": test.archive})
			recent := dataQuery(t, "C", values{"expr": "up"})
			recent.TimeRange = backend.TimeRange{From: time.Now().Add(-time.Hour), To: time.Now()}
			responses := runQueries(t, ds, dataQuery(t, "A", values{"queryType": "fineTuningJobs"}), dataQuery(t, "B", values{"queryType": "capacities"}), recent)
			for _, id := range []string{"A", "B", "C"} {
				require.NoError(t, responses[id].Error)
			}
			require.ErrorContains(t, overSeam(t, ds, map[string]string{"FromAlert": "true"}).Error, test.message)
			require.Contains(t, health(t, ds).Message, "✗ Archive: ")
			require.Contains(t, health(t, ds).Message, "✓ Metrics: ")
		})
	}
}

// newWorkingDatasource is a data source with all services of a simulated platform.
func newWorkingDatasource(t *testing.T, address string, changes values) *plugin.Datasource {
	t.Helper()
	settings, secrets := datasource.Settings(address)
	maps.Copy(settings, changes)
	return datasource.New(t, settings, secrets)
}

// An empty address, as a variable that is not set leaves it, is no archive.
func TestArchive_None(t *testing.T) {
	platform, archive := newEndpoint(t), newEndpoint(t)
	ds := newArchived(t, platform, archive, values{"url": " ", "user": "grafana", "retention": ""}, nil)
	require.NoError(t, overSeam(t, ds, nil).Error)
	require.NotEmpty(t, platform.headers)
	require.Empty(t, archive.headers)
}
