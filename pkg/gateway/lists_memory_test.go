//go:build !race

// The race detector multiplies memory and time, so a bound on the heap says nothing under it.

package gateway_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/memorytest"
)

// clientOf is a client of a gateway with one response, which it sends in pieces.
func clientOf(t *testing.T, before, piece string, times int, after string) *gateway.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, before)
		for range times {
			_, _ = io.WriteString(w, piece)
		}
		_, _ = io.WriteString(w, after)
	}))
	t.Cleanup(server.Close)
	patient := httpclient.Options{Timeouts: &httpclient.TimeoutOptions{Timeout: time.Hour}} // collecting garbage takes long
	sender, err := transport.New(transport.Options{HTTP: patient, Service: transport.Service{Name: "gateway", Title: "The tuning gateway"}})
	require.NoError(t, err)
	base, err := url.Parse(server.URL)
	require.NoError(t, err)
	client := gateway.New(gateway.Config{Transport: sender, Downloads: sender, Base: base, MaxListBytes: 4 << 20})
	t.Cleanup(client.Close)
	return client
}

func TestLists_PeakMemory(t *testing.T) {
	const mega = 1 << 20
	jobs := func(c *gateway.Client, ctx context.Context) (int, error) {
		list, err := c.ListJobs(ctx)
		return len(list.Items), err
	}
	samples := func(c *gateway.Client, ctx context.Context) (int, error) {
		list, err := c.Samples(ctx, gateway.Job{ID: "a"})
		return len(list), err
	}
	thousand := strings.TrimSuffix(strings.Repeat(`{"a":1},`, 1000), ",")
	text := strings.Repeat("x", mega)
	for name, test := range map[string]struct {
		before, piece string
		times         int
		after         string
		read          func(*gateway.Client, context.Context) (int, error)
		items         int
		want          string // part of the error
		most          int    // in megabytes
	}{
		"many jobs":         {`{"data":[`, thousand + ",", 50, `{}]}`, jobs, 2000, "", 6},
		"no objects":        {`{"data":[`, strings.Repeat("1,", 1000), 50, `{}]}`, jobs, 1, "", 2},
		"large jobs":        {`{"data":[`, `{"status":"` + text + `"},`, 5, `{}]}`, jobs, 0, "a list of more than 4 MB", 20},
		"many members":      {`{"data":[{`, strings.Repeat(`"a":1,`, 1000), 150, `"id":"x"}]}`, jobs, 0, "", 10},
		"another member":    {`{"others":[`, thousand + ",", 100, `1],"data":[{"id":"a"}]}`, jobs, 1, "", 4},
		"many samples":      {`{"metrics":[{"name":"a","data":[`, strings.Repeat(`{"value":1},`, 1000), 10, `1]}]}`, samples, 10_000, "", 4},
		"many metrics":      {`{"metrics":[`, strings.Repeat(`{"name":"a","data":[]},`, 1000), 20, `1]}`, samples, 0, "", 4},
		"a metric of texts": {`{"metrics":[{"name":"`, text, 65, `","data":[]}]}`, samples, 0, "more than 64 MB", 160},
	} {
		t.Run(name, func(t *testing.T) {
			client := clientOf(t, test.before, test.piece, test.times, test.after)
			found, err := 0, error(nil)
			require.Less(t, memorytest.Peak(func() { found, err = test.read(client, t.Context()) }), int64(test.most*mega))
			if test.want != "" {
				require.ErrorIs(t, err, transport.ErrTooLarge)
				require.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.items, found)
		})
	}
}
