package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

func feed(t *testing.T, ds *plugin.Datasource, path string, params url.Values, accept string) (status int, body string) {
	t.Helper()
	editor := backend.PluginContext{User: &backend.User{Role: "Editor"}}
	return resource(t, ds, &backend.CallResourceRequest{PluginContext: editor, Path: path, URL: path + "?" + params.Encode(), Headers: map[string][]string{"Accept": {accept}}})
}

func TestFederate_Format(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Now: time.Now})
	ds := newDatasource(t, address, nil)
	params := url.Values{"match[]": {`DCGM_FI_DEV_POWER_USAGE{gpu="0"}`, `vendor_vm_cpu_seconds_total{mode="idle"}`, `DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="0"}`, `vendor_vm_disk_read_latency_seconds_bucket{le="1"}`}}

	status, body := feed(t, ds, "federate", params, "text/plain")
	require.Equal(t, http.StatusOK, status)
	require.Regexp(t, `(?m)^DCGM_FI_DEV_POWER_USAGE\{.*\} [0-9.]+ [0-9]{10}(\.[0-9]{1,3})?$`, body)
	require.Contains(t, boundsOfBuckets(t, body), "1", "by the type of a histogram Prometheus 3 would make 1.0 of it")
	require.True(t, strings.HasSuffix(body, "\n# EOF\n"))
}

// boundsOfBuckets are the values of le that Prometheus stores.
func boundsOfBuckets(t *testing.T, body string) (bounds []string) {
	t.Helper()
	parser := textparse.NewOpenMetricsParser([]byte(body), labels.NewSymbolTable())
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return bounds
		}
		require.NoError(t, err)
		if entry == textparse.EntrySeries {
			var series labels.Labels
			parser.Labels(&series)
			bounds = append(bounds, series.Get(labels.BucketLabel))
		}
	}
}

func TestFeeds_Errors(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) []string { return []string{time.Now().Add(-d).Format(time.RFC3339)} }
	day := url.Values{"start": ago(25 * time.Hour), "end": ago(time.Hour)}
	everything := url.Values{"match[]": {`{__name__!=""}`}}
	join := func(all ...url.Values) url.Values {
		joined := url.Values{}
		for _, one := range all {
			for name, list := range one {
				joined[name] = list
			}
		}
		return joined
	}
	for name, test := range map[string]struct {
		path   string
		params url.Values
		fault  *platform.Fault
		status int
		want   string
	}{
		"no selector":              {"federate", nil, nil, 400, `"match[]": it is missing`},
		"a blank selector":         {"federate", url.Values{"match[]": {""}}, nil, 400, `"match[]": it is missing`},
		"an expression":            {"federate", url.Values{"match[]": {"sum(up)"}}, nil, 400, `"match[]"`},
		"an offset":                {"export", join(day, url.Values{"match[]": {"DCGM_FI_DEV_GPU_UTIL offset 1h"}}), nil, 400, `"match[]"`},
		"no start":                 {"export", url.Values{"match[]": {"up"}, "end": ago(0)}, nil, 400, `"start": it is missing`},
		"no time":                  {"export", join(day, url.Values{"match[]": {"up"}, "start": {"yesterday"}}), nil, 400, `"start": neither Unix seconds nor`},
		"an end before the start":  {"export", join(day, url.Values{"match[]": {"up"}, "end": ago(26 * time.Hour)}), nil, 400, `"start": it is after the end`},
		"older than the retention": {"export", join(day, url.Values{"match[]": {"up"}, "start": {"0001-01-01T00:00:00Z"}, "end": {"2024-01-01T00:00:00Z"}}), nil, 400, "and the platform stores no older samples"},
		"an outage":                {"federate", everything, &platform.Fault{Status: 500}, 500, "failed (500)"},
		"a refused token":          {"export", join(day, everything), &platform.Fault{Status: 401}, 502, "monitoring token"},
		"a cut response":           {"federate", everything, &platform.Fault{Kind: platform.FaultCutBody}, 502, "sent an incomplete response"},
		"a limit of the platform":  {"federate", everything, &platform.Fault{Status: 429, Headers: map[string]string{"Retry-After": "3600"}}, 429, "rate"},
		"a web page is no success": {"federate", everything, &platform.Fault{Kind: platform.FaultHTML, Status: 200}, 502, "web page"},
	} {
		t.Run(name, func(t *testing.T) {
			p, address := newPlatformWith(t, platform.Config{Now: time.Now})
			if test.fault != nil {
				p.Inject(*test.fault)
			}
			status, body := feed(t, newDatasource(t, address, nil), test.path, test.params, "")
			require.Equal(t, test.status, status, body)
			var response struct{ Status, Error string }
			require.NoError(t, json.Unmarshal([]byte(body), &response), body)
			require.Equal(t, "error", response.Status)
			require.Contains(t, response.Error, test.want)
		})
	}
}

// An export of too much ends with an error, without which it would look complete.
func TestExport_Bounds(t *testing.T) {
	var requests atomic.Int32
	ctx := datasource.InMemory(t.Context(), func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, resultOf("matrix", fmt.Sprintf(`{"metric":{"n":"%d"},"values":[[9000000000,"1"]]}`, requests.Add(1))))
	})
	ds := newDatasource(t, datasource.Nowhere, values{"archive": values{"retention": "36500d"}})
	requireBrokenOff(ctx, t, ds, url.Values{"match[]": {"up"}, "start": {"0001-01-01T00:00:00Z"}, "end": {"9000-01-01T00:00:00Z"}})
	require.Equal(t, int32(3000), requests.Load())
}

func requireBrokenOff(ctx context.Context, t *testing.T, ds *plugin.Datasource, params url.Values) {
	t.Helper()
	editor := backend.PluginContext{User: &backend.User{Role: "Editor"}}
	err := ds.CallResource(ctx, &backend.CallResourceRequest{PluginContext: editor, Method: http.MethodGet, Path: "export", URL: "export?" + params.Encode()},
		backend.CallResourceResponseSenderFunc(func(*backend.CallResourceResponse) error { return nil }))
	require.ErrorContains(t, err, "broke off")
}

// Whatever a platform responds to a count of series, a federation sends no more requests than its limit.
func TestFederate_RequestsAreBounded(t *testing.T) {
	for count, want := range map[string]int32{"0": 3, "-5": 3, "NaN": 3, "1e300": 600, "+Inf": 600, "750": 79} {
		var requests atomic.Int32
		address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
			var counts []string
			if requests.Add(1); strings.HasPrefix(r.FormValue("query"), "count") {
				for i := range 1000 {
					counts = append(counts, fmt.Sprintf(`{"metric":{"__name__":"m%d"},"value":[1748865600,"%s"]}`, i, count))
				}
			}
			_, _ = io.WriteString(w, resultOf("vector", counts...))
		})
		status, body := feed(t, newDatasource(t, address, nil), "federate", url.Values{"match[]": {`{__name__!=""}`}}, "")
		if want < 600 {
			require.Equal(t, 200, status, body)
		} else {
			require.Contains(t, body, "at most 600 requests")
		}
		require.Equal(t, want, requests.Load(), count)
	}
}

// What two selectors match is written once.
func TestFeeds_SeriesOfTwoSelectors(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Nodes: 1, GPUsPerNode: 1, Now: time.Now})
	ds := newDatasource(t, address, nil)
	span := url.Values{"start": {fmt.Sprint(time.Now().Unix() - 3600)}, "end": {fmt.Sprint(time.Now().Unix())}}
	for path, samples := range map[string]int{"federate": 1, "export": 60} {
		span["match[]"] = []string{`DCGM_FI_DEV_GPU_UTIL`, `{__name__="DCGM_FI_DEV_GPU_UTIL",gpu="0"}`}
		status, body := feed(t, ds, path, span, "")
		require.Equal(t, http.StatusOK, status, body)
		require.InDelta(t, samples, strings.Count(body, "DCGM_FI_DEV_GPU_UTIL{"), 1, body)
	}
}

// VictoriaMetrics ends a series by NaN, which is no value there. In Prometheus it is one, which the vector has, too.
func TestFeeds_NaN(t *testing.T) {
	now := time.Now().Unix()
	for vector, want := range map[string]string{"1": "", "NaN": " NaN "} {
		address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
			result := resultOf("vector", `{"metric":{"__name__":"up"},"value":[1,"`+vector+`"]}`)
			if strings.HasPrefix(r.FormValue("query"), "count") {
				result = resultOf("vector", `{"metric":{"__name__":"up"},"value":[1,"1"]}`)
			}
			if strings.HasSuffix(r.FormValue("query"), "]") {
				result = resultOf("matrix", fmt.Sprintf(`{"metric":{"__name__":"up"},"values":[[%d,"1"],[%d,"NaN"]]}`, now-90, now-30))
			}
			_, _ = io.WriteString(w, result)
		})
		ds := newDatasource(t, address, nil)
		params := url.Values{"match[]": {"up"}, "start": {fmt.Sprint(now - 300)}, "end": {fmt.Sprint(now)}}
		_, body := feed(t, ds, "federate", params, "")
		require.Equal(t, want != "", strings.Contains(body, "NaN"), body)
		require.NotContains(t, body, " 1 ", "an older sample is none of the newest")
		_, body = feed(t, ds, "export", params, "")
		require.Equal(t, fmt.Sprintf("up 1 %d\n# EOF\n", now-90), body)
	}
}

func TestExport_BeginsWithTheRetention(t *testing.T) {
	var queries atomic.Int32
	p := platform.New(platform.Config{Nodes: 1, GPUsPerNode: 1, Now: time.Now})
	address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		queries.Add(1)
		p.ServeHTTP(w, r)
	})
	ds := newDatasource(t, address, nil)
	status, body := feed(t, ds, "export", url.Values{"match[]": {"DCGM_FI_DEV_GPU_UTIL"}, "start": {"0001-01-01T00:00:00Z"}, "end": {"9000-01-01T00:00:00Z"}}, "")
	require.Equal(t, http.StatusOK, status)
	require.Greater(t, strings.Count(body, "\n"), 43_000, "thirty days")
	require.Less(t, queries.Load(), int32(50))
}

func TestFeeds_UnderWay(t *testing.T) {
	release := make(chan struct{})
	waiting := make(chan struct{}, 10)
	address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) {
		waiting <- struct{}{}
		<-release
		http.Error(w, "no", http.StatusBadRequest)
	})
	ds := newDatasource(t, address, nil)
	var group sync.WaitGroup
	for i := range 2 { // of other series each: what is the same is requested once
		group.Go(func() { feed(t, ds, "federate", url.Values{"match[]": {fmt.Sprint("up", i)}}, "") })
	}
	for range 2 {
		<-waiting
	}
	status, body := feed(t, ds, "federate", url.Values{"match[]": {"up"}}, "")
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Contains(t, body, "are under way")
	close(release)
	group.Wait()
}

// What breaks after the first samples were sent breaks the response: it is no shorter list.
func TestFeeds_Broken(t *testing.T) {
	t.Parallel()
	p := platform.New(platform.Config{Now: time.Now})
	var sent atomic.Int32
	address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if sent.Add(1) > 3 {
			http.Error(w, "down", http.StatusInternalServerError)
			return
		}
		p.ServeHTTP(w, r)
	})
	ds := newDatasource(t, address, nil)
	params := url.Values{"match[]": {`{__name__=~"DCGM_FI_DEV_.+"}`}, "start": {time.Now().Add(-6 * time.Hour).Format(time.RFC3339)}, "end": {time.Now().Format(time.RFC3339)}}
	requireBrokenOff(t.Context(), t, ds, params)
}
