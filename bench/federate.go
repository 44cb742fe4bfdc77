package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
)

const (
	federatedMetrics = 30
	federatedSeries  = 10_000 // of each metric
)

// federate measures a scrape of 300,000 series through the built backend, on a platform that takes no time to evaluate.
func federate(ctx context.Context, o options, r *report.Report) error {
	server := httptest.NewServer(http.HandlerFunc(serveFleet))
	defer server.Close()
	b, err := startBackend(ctx, o.backend)
	if err != nil {
		return err
	}
	defer b.stop()
	var body lineCounter
	took, err := timing.Of(func() error {
		return b.resource(ctx, pluginContext(server.URL, true, nil), "federate?match[]="+`{__name__=~"DCGM_FI_.%2B"}`, &body)
	})
	if err != nil {
		return err
	}
	if want := federatedMetrics * federatedSeries; body.samples != want {
		return fmt.Errorf("%d samples, instead of %d", body.samples, want)
	}
	peak, err := b.peakMemory()
	if err != nil {
		return err
	}
	processor, err := b.processorTime()
	if err != nil {
		return err
	}
	group := r.Group("A scrape of federate with %d series", body.samples)
	group.Figure("time", report.Took(took), report.NoMore(report.Took(10*time.Second)))
	group.Figure("processor time of the backend", report.Took(processor), report.Goal{})
	group.Figure("size of the response", report.Size(body.bytes), report.Goal{})
	group.Figure("memory of the backend, peak", report.Size(peak), report.NoMore(report.Size(100<<20)))
	return nil
}

// lineCounter counts the samples of the text format.
type lineCounter struct {
	bytes, samples int
	inComment      bool
	inLine         bool
}

func (c *lineCounter) Write(part []byte) (int, error) {
	c.bytes += len(part)
	for _, char := range part {
		switch {
		case char == '\n':
			if c.inLine && !c.inComment {
				c.samples++
			}
			c.inLine, c.inComment = false, false
		case !c.inLine:
			c.inLine, c.inComment = true, char == '#'
		}
	}
	return len(part), nil
}

var fleetMetric = regexp.MustCompile(`DCGM_FI_DEV_\d\d`)

// serveFleet evaluates the instant queries of federate: the number of series of each metric, and the series of those that are named.
func serveFleet(w http.ResponseWriter, r *http.Request) {
	expr := r.FormValue("query")
	at := time.Now().Unix()
	body := bufio.NewWriter(w)
	defer func() { _ = body.Flush() }()
	named := fleetMetric.FindAllString(expr, -1)
	if len(named) == 0 {
		for i := range federatedMetrics {
			named = append(named, fmt.Sprintf("DCGM_FI_DEV_%02d", i))
		}
	}
	kind := "vector"
	ranged := strings.HasSuffix(expr, "]")
	if ranged {
		kind = "matrix"
	}
	_, _ = fmt.Fprintf(body, `{"status":"success","data":{"resultType":%q,"result":[`, kind)
	if strings.HasPrefix(expr, "now()") {
		named = nil
	}
	counted := strings.HasPrefix(expr, "count")
	for m, metric := range named {
		for i := range federatedSeries {
			if m+i > 0 {
				_ = body.WriteByte(',')
			}
			if counted {
				_, _ = fmt.Fprintf(body, `{"metric":{"__name__":%q},"value":[%d,"%d"]}`, metric, at, federatedSeries)
				break
			}
			_, _ = fmt.Fprintf(body, `{"metric":{"__name__":%q,"Hostname":"node-%04d","UUID":"GPU-5f3c2b1a-0000-4000-8000-%012d","cluster_id":"cluster-1",`+
				`"device":"nvidia%d","gpu":"%d","instance":"node-%04d:9400","modelName":"NVIDIA H100 80GB HBM3","nodepool_name":"training"},`,
				metric, i/8, i, i%8, i%8, i/8)
			if !ranged {
				_, _ = fmt.Fprintf(body, `"value":[%d,"%d.5"]}`, at, i)
				continue
			}
			_, _ = body.WriteString(`"values":[`)
			for back := int64(4); back >= 0; back-- {
				_, _ = fmt.Fprintf(body, `[%d,"%d.%d"]`, at-60*back, i, back)
				if back > 0 {
					_ = body.WriteByte(',')
				}
			}
			_, _ = body.WriteString(`]}`)
		}
	}
	_, _ = body.WriteString(`]}}`)
}
