//go:build engines

package engines

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
)

// before is a proxy in front of an engine, for responses that single-node engines don't send.
func before(t *testing.T, e *url.URL, change func(*http.Response) error) *url.URL {
	t.Helper()
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(e)
			r.Out.Header.Del("Accept-Encoding") // so that the body can be changed
		},
		ModifyResponse: change,
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	return address
}

// adding adds members to the responses of an engine.
func adding(t *testing.T, e *url.URL, members string) *url.URL {
	t.Helper()
	return before(t, e, func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		body = bytes.Replace(body, []byte(`"status":"success"`), []byte(`"status":"success",`+members), 1)
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return nil
	})
}

// only forwards requests with one of these paths.
func only(t *testing.T, e *url.URL, paths ...string) *url.URL {
	t.Helper()
	return before(t, e, func(r *http.Response) error {
		if !slices.ContainsFunc(paths, func(path string) bool { return strings.HasSuffix(r.Request.URL.Path, path) }) {
			r.StatusCode = http.StatusNotFound
		}
		return nil
	})
}

func TestNotices_PartialAndWarnings(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		w := windows[0]
		want := w.raw(t, e, `gpu_util`).floats(t)
		for _, test := range []struct {
			members string
			notices []data.Notice
			isKept  bool
		}{
			{`"isPartial":true`, []data.Notice{{Severity: data.NoticeSeverityWarning, Text: "The platform could not reach all of its data, so this result is partial."}}, false},
			{`"isPartial":false`, nil, true},
			{`"warnings":["b","a"]`, []data.Notice{{Severity: data.NoticeSeverityWarning, Text: "a"}, {Severity: data.NoticeSeverityWarning, Text: "b"}}, false},
			{`"infos":["something"]`, []data.Notice{{Severity: data.NoticeSeverityInfo, Text: "something"}}, false},
		} {
			ds := newDatasource(t, adding(t, e.address, test.members), cached)
			for _, isFirst := range []bool{true, false} {
				got := frames(t, ds, w.query(`gpu_util`), w.start(), w.end())
				equal(t, e, want, floatsOf(t, got, data.FrameTypeTimeSeriesMulti), "%s", test.members)
				require.Equal(t, test.notices, got[0].Meta.Notices, test.members)
				fromCache := got[0].Meta.Custom.(prom.Custom).Cache.CachedSteps
				require.Equal(t, test.isKept && !isFirst, fromCache > 0, test.members)
			}
		}
	})
}

// The address of an engine may have a path; VictoriaMetrics serves two.
func TestVictoriaMetrics_BasePath(t *testing.T) {
	e := running[1]
	require.Equal(t, victoriaName, e.name)
	w := windows[0]
	ds := newDatasource(t, e.address.JoinPath("prometheus"), uncached)
	equal(t, e, w.raw(t, e, `gpu_util`).floats(t), floatsOf(t, frames(t, ds, w.query(`gpu_util`), w.start(), w.end()), data.FrameTypeTimeSeriesMulti), "gpu_util")
}
