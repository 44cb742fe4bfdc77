package prom_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
)

// BenchmarkRange measures a range query of 2,048 series with 361 points, from the socket to each of the encoders: misses, hits, and
// refreshes, which request the recent window.
func BenchmarkRange(b *testing.B) {
	const series, points = 2048, 361
	full := seriesOverSteps(series, noon.Add(-(points-1)*time.Minute), points)
	for name, run := range map[string]func(c *prom.Client, expr string) error{
		"matrix": func(c *prom.Client, expr string) error {
			_, err := c.QueryRange(b.Context(), rangeParams(expr, points))
			return err
		},
		"API": func(c *prom.Client, expr string) error {
			response, err := c.QueryRange(b.Context(), rangeParams(expr, points))
			if err == nil {
				err = response.Write(io.Discard)
			}
			return err
		},
		"frames": func(c *prom.Client, expr string) error {
			_, err := c.QueryData(b.Context(), dataQuery(b, saved{"expr": expr, "range": true}, noon, (points-1)*time.Minute), false)
			return err
		},
		"packed": func(c *prom.Client, expr string) error {
			q := saved{"expr": expr, "range": true, "packed": true}
			_, err := c.QueryData(b.Context(), dataQuery(b, q, noon, (points-1)*time.Minute), false)
			return err
		},
	} {
		base := serve(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(full) }))
		config := prom.Config{Transport: newTransport(b), Base: base, MinStep: time.Minute, Now: newClock().now, Cache: cached}
		b.Run("miss, "+name, func(b *testing.B) {
			client := prom.New(config)
			b.Cleanup(client.Close)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				require.NoError(b, run(client, fmt.Sprint("m + ", n)))
			}
		})
		b.Run("hit, "+name, func(b *testing.B) {
			client := prom.New(config)
			b.Cleanup(client.Close)
			require.NoError(b, run(client, "m"))
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, run(client, "m"))
			}
		})
	}
}

func rangeParams(expr string, points int) url.Values {
	return url.Values{
		"query": {expr}, "start": {formatSeconds(noon.Add(-time.Duration(points-1) * time.Minute))}, "end": {formatSeconds(noon)}, "step": {"60"},
	}
}

func formatSeconds(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// seriesOverSteps is a response with so many series, in the order of their labels, of percentages at each minute.
func seriesOverSteps(series int, start time.Time, points int) []byte {
	body := []byte(`{"status":"success","data":{"resultType":"matrix","result":[`)
	for n := range series {
		if n > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"metric":{"__name__":"m","gpu":"%d","instance":"node-%04d:9400","modelName":"NVIDIA H100 80GB HBM3"},"values":[`, n/256, n%256)
		for i := range points {
			if i > 0 {
				body = append(body, ',')
			}
			body = fmt.Appendf(body, `[%d,"%d.%d"]`, start.Add(time.Duration(i)*time.Minute).Unix(), (i*7+n)%100, i%10)
		}
		body = append(body, `]}`...)
	}
	return append(body, `]}}`...)
}
