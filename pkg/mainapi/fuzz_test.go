package mainapi_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// queryWith is a function that runs a query on a platform whose responses are body.
func queryWith(f *testing.F, body *atomic.Pointer[[]byte]) func(t *testing.T, saved string) (data.Frames, error) {
	f.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.EscapedPath(), "/base/v1/") || strings.Contains(r.URL.EscapedPath(), "..") {
			panic("a request outside of the version's path: " + r.URL.String())
		}
		_, _ = w.Write(*body.Load())
	}))
	f.Cleanup(server.Close)
	base, err := url.Parse(server.URL + "/base")
	require.NoError(f, err)
	service := transport.Service{Title: "The main API", Credential: "access key", Signed: true}
	client, err := transport.New(transport.Options{Service: service, MaxResponseBytes: 1 << 20})
	require.NoError(f, err)
	return func(t *testing.T, saved string) (data.Frames, error) {
		t.Helper()
		api := mainapi.New(mainapi.Config{Transport: client, Base: base})
		of := func(queryType string) backend.DataQuery {
			return backend.DataQuery{RefID: "A", QueryType: queryType, JSON: []byte(saved), TimeRange: backend.TimeRange{From: time.Unix(0, 0), To: time.Unix(3600, 0)}}
		}
		frames, err := api.QueryData(t.Context(), of("platform"), false)
		if _, other := api.QueryData(t.Context(), of("capacities"), true); other != nil {
			forUsers(t, other)
		}
		return frames, err
	}
}

// forUsers checks that an error is of a type with a message for users, in UTF-8 as gRPC needs it.
func forUsers(t *testing.T, err error) {
	t.Helper()
	var failure *transport.Error
	var written *query.Error
	require.True(t, errors.As(err, &failure) || errors.As(err, &written), "%T: %v", err, err)
	require.True(t, utf8.ValidString(err.Error()), "%q", err)
}

// FuzzResponse runs queries with any root and columns on any response of the main API.
func FuzzResponse(f *testing.F) {
	for _, body := range []string{
		"", "null", "[]", "{}", `{"items":null}`, `{"items":[{"a":1,"b":"x"},{"a":"y"}]}`, `{"items":[1,null,"x",[]]}`, `{"items":[],"next_token":"t"}`,
		`{"items":[{"t":1748865600,"v":1e400},{"t":"2025-06-02T12:00:00Z","v":-0}]}`, "{\"items\":[{\"\xff\":\"\xfe\"}]}", strings.Repeat("[", 100), `{"message":"no"}`,
	} {
		for _, root := range []string{"", "$", "$.items", "$..a", "$.items[*].a", "$[?(@.a > 1)]", "items[0]"} {
			f.Add([]byte(body), root, "a", "t")
		}
	}
	var response atomic.Pointer[[]byte]
	run := queryWith(f, &response)
	f.Fuzz(func(t *testing.T, body []byte, root, selector, timeColumn string) {
		response.Store(&body)
		for _, saved := range []map[string]any{
			{"path": "/v1/x", "root": root, "maxPages": 2},
			{"path": "/v1/x", "root": root, "maxPages": 2, "timeColumn": timeColumn, "columns": []map[string]string{{"selector": selector}, {"selector": "v", "type": "number"}}},
		} {
			encoded, err := json.Marshal(saved)
			require.NoError(t, err)
			frames, err := run(t, string(encoded))
			if err != nil {
				forUsers(t, err)
				continue
			}
			require.NotEmpty(t, frames)
			_, err = frames.MarshalArrow()
			require.NoError(t, err)
			_, err = json.Marshal(frames)
			require.NoError(t, err)
		}
	})
}

// FuzzQuery runs any saved query. Every request has a path below the version.
func FuzzQuery(f *testing.F) {
	for _, saved := range []string{
		"", "null", "[]", "{}", `{"path":"/v1/capacities"}`, `{"path":"/v1/../x"}`, `{"path":"/v1/%2e%2e/x"}`, `{"path":"/v1/{projectId}"}`, `{"path":"//x"}`,
		`{"path":"/v1/x?y=1"}`, `{"path":"/v1/x","params":[{"name":"a&b","value":"c=d#e"}]}`, `{"path":"/v1/x","maxPages":"9"}`, `{"path":"/v1/x","columns":[{"selector":"$.a","type":"time"}]}`,
		`{"productNames":["a,b"],"locations":"c","format":"number"}`, `{"path":"/v1/x","root":"$[?(@.a =~ /(a+)+$/)]"}`,
	} {
		f.Add(saved)
	}
	var response atomic.Pointer[[]byte]
	body := []byte(`{"items":[{"a":1,"type":"x","location":"y","quantity":2}]}`)
	response.Store(&body)
	run := queryWith(f, &response)
	f.Fuzz(func(t *testing.T, saved string) {
		if _, err := run(t, saved); err != nil {
			forUsers(t, err)
		}
	})
}
