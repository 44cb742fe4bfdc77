package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	archiveRounds = 15
	archiveSeries = 64
	archiveYear   = 365 * 24 * time.Hour
	archiveMonth  = 29 * 24 * time.Hour
	// archivePoints is about how many points a panel has.
	archivePoints = 1000
)

// archived compares a panel of a year, of which the platform has the last month and the archive the rest, with a panel of a month,
// and with one request of the whole year to the archive.
func archived(_ context.Context, _ options, r *report.Report) error {
	group := r.Group("A year × %d series, 30 days of the platform and the rest of an archive; medians of %d", archiveSeries, archiveRounds)
	engine := newWaves()
	defer engine.close()
	var cold, warm, month, direct []time.Duration
	for range archiveRounds {
		clock := now
		client, err := newArchivedClient(engine.url, func() time.Time { return clock })
		if err != nil {
			return err
		}
		panel := func(span time.Duration) func() error {
			step := (span / archivePoints).Truncate(time.Minute)
			q := panelQuery("node_load", clock.Add(-span), clock, step)
			return func() error {
				frames, err := client.QueryData(context.Background(), q, false)
				if err == nil && len(frames) == 0 {
					err = fmt.Errorf("no frames")
				}
				return err
			}
		}
		measure := func(times *[]time.Duration, work func() error) error {
			took, err := timing.Of(work)
			*times = append(*times, took)
			return err
		}
		var ignored []time.Duration
		err = errors.Join(measure(&cold, panel(archiveYear)), measure(&direct, engine.direct(clock)), measure(&ignored, panel(archiveMonth)))
		clock = clock.Add(time.Minute)
		err = errors.Join(err, measure(&warm, panel(archiveYear)), measure(&month, panel(archiveMonth)))
		client.Close()
		if err != nil {
			return err
		}
	}
	group.Compare("a refresh of a year, of that of a month", report.Took(timing.Median(warm)), report.Took(timing.Median(month)), report.AtMost(1.5))
	group.Compare("a year in no cache, of one request to the archive", report.Took(timing.Median(cold)), report.Took(timing.Median(direct)), report.AtMost(2))
	return nil
}

// waves is a Prometheus API that has series for every time.
type waves struct {
	server *httptest.Server
	url    *url.URL
}

func newWaves() *waves {
	w := &waves{}
	w.server = httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, r *http.Request) {
		start, _ := time.Parse(time.RFC3339Nano, r.FormValue("start"))
		end, _ := time.Parse(time.RFC3339Nano, r.FormValue("end"))
		step, _ := time.ParseDuration(r.FormValue("step"))
		_, _ = response.Write(waveMatrix(start, end, step)) //nolint:gosec // no browser reads this
	}))
	w.url, _ = url.Parse(w.server.URL)
	return w
}

func (w *waves) close() { w.server.Close() }

// direct requests a year, and reads the response.
func (w *waves) direct(to time.Time) func() error {
	step := (archiveYear / archivePoints).Truncate(time.Minute)
	params := url.Values{
		"query": {"node_load"}, "start": {to.Add(-archiveYear).Format(time.RFC3339)}, "end": {to.Format(time.RFC3339)}, "step": {step.String()},
	}
	return func() error {
		response, err := http.Get(w.url.JoinPath("api/v1/query_range").String() + "?" + params.Encode())
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}
}

func waveMatrix(start, end time.Time, step time.Duration) []byte {
	body := []byte(`{"status":"success","data":{"resultType":"matrix","result":[`)
	for i := range archiveSeries {
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"metric":{"__name__":"node_load","node":"node-%03d"},"values":[`, i)
		for at := start; !at.After(end); at = at.Add(step) {
			if at.After(start) {
				body = append(body, ',')
			}
			body = append(body, '[')
			body = strconv.AppendInt(body, at.Unix(), 10)
			body = append(body, `,"`...)
			body = strconv.AppendFloat(body, math.Sin(float64(at.Unix()/60+int64(i))), 'g', 12, 64)
			body = append(body, `"]`...)
		}
		body = append(body, `]}`...)
	}
	return append(body, `]}}`...)
}

func newArchivedClient(base *url.URL, clock func() time.Time) (*promclient.Client, error) {
	config := func() (promclient.Config, error) {
		sender, err := transport.New(transport.Options{
			HTTP: httpclient.Options{Timeouts: &httpclient.DefaultTimeoutOptions}, Service: transport.Service{Title: "The engine", Host: base.Host},
		})
		return promclient.Config{
			Transport: sender, Base: base, MinStep: time.Minute, Now: clock,
			Cache: promclient.Cache{MaxBytes: 64 << 20, RecentWindow: 10 * time.Minute, PartSlots: 16},
		}, err
	}
	older, err := config()
	if err != nil {
		return nil, err
	}
	newer, err := config()
	if err != nil {
		return nil, err
	}
	older.Retention = promclient.Unlimited
	newer.Archive = &promclient.Archive{Client: promclient.New(older)}
	return promclient.New(newer), nil
}
