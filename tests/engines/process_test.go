//go:build engines

package engines

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/prompb"
)

// engine is a running query engine.
type engine struct {
	name string
	// address is the base address of /api/v1/.
	address *url.URL
	stop    func()
	// rounding is the tolerated relative error, because the engine's order of additions differs between requests.
	rounding float64
}

const (
	prometheusName = "Prometheus"
	victoriaName   = "VictoriaMetrics"
	// startTimeout bounds the start of an engine.
	startTimeout = 60 * time.Second
	// stopTimeout bounds its shutdown.
	stopTimeout = 20 * time.Second
)

// block is the time of a block of samples in Prometheus, of which some scenes are in one: with blocks of two hours, making blocks of all scenes takes
// longer than the queries, and without any, a query looks at series of all scenes.
const block = "400d"

// startPrometheus runs Prometheus below a path of its own. Samples may be older than the last.
func startPrometheus(ctx context.Context, dir string) (*engine, error) {
	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, []byte("storage: {tsdb: {out_of_order_time_window: 90d}}\n"), 0o600); err != nil {
		return nil, err
	}
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	e := &engine{name: prometheusName, address: &url.URL{Scheme: "http", Host: listen, Path: "/prometheus"}}
	return e, e.run(ctx, "/-/ready", "prometheus", "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--storage.tsdb.retention.time=100y",
		"--storage.tsdb.min-block-duration="+block, "--storage.tsdb.max-block-duration="+block,
		"--web.listen-address="+listen, "--web.external-url="+e.address.String(), "--web.enable-remote-write-receiver",
		"--enable-feature=native-histograms", "--log.level=warn")
}

// startVictoriaMetrics runs a single-node VictoriaMetrics.
func startVictoriaMetrics(ctx context.Context, dir string) (*engine, error) {
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	e := &engine{name: victoriaName, address: &url.URL{Scheme: "http", Host: listen, Path: "/"}, rounding: 1e-12}
	return e, e.run(ctx, "/health", "victoria-metrics", "-storageDataPath="+filepath.Join(dir, "data"), "-retentionPeriod=100y",
		"-httpListenAddr="+listen, "-memory.allowedBytes=256MB", "-loggerLevel=WARN", "-dedup.minScrapeInterval=1ms")
}

// write writes samples, and returns when queries find them.
func (e *engine) write(ctx context.Context, samples dataset) error {
	if err := e.send(ctx, samples); err != nil {
		return err
	}
	return e.settle(ctx)
}

// send sends samples.
func (e *engine) send(ctx context.Context, samples dataset) error {
	for _, body := range samples.remoteWrites(e.name == prometheusName) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address.JoinPath("api/v1/write").String(), bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header = remoteWriteHeaders.Clone()
		if _, err := send(r); err != nil {
			return err
		}
	}
	return nil
}

// settle returns when queries find all samples that were sent.
func (e *engine) settle(ctx context.Context) error {
	if e.name == prometheusName {
		return nil
	}
	if _, err := get(ctx, e.address.JoinPath("internal/force_flush")); err != nil {
		return err
	}
	// What was computed while samples were still arriving must not be used again.
	_, err := get(ctx, e.address.JoinPath("internal/resetRollupResultCache"))
	return err
}

// run starts the engine's process and waits until it is ready.
func (e *engine) run(ctx context.Context, ready, name string, args ...string) error {
	running, end := context.WithCancel(context.Background())
	command := exec.CommandContext(running, name, args...)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopTimeout
	var log bytes.Buffer
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		end()
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // it is ended by a signal
		end()
		close(ended)
	}()
	e.stop = func() {
		end()
		<-ended
	}
	for begun := time.Now(); running.Err() == nil && time.Since(begun) < startTimeout; time.Sleep(50 * time.Millisecond) {
		if _, err := get(ctx, e.address.JoinPath(ready)); err == nil {
			return nil
		}
	}
	e.stop()
	return fmt.Errorf("%s does not respond:\n%s", name, log.String())
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

var direct = &http.Client{Timeout: time.Minute}

func get(ctx context.Context, at *url.URL) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	return send(r)
}

func send(r *http.Request) ([]byte, error) {
	response, err := direct.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s %s", r.URL.Path, response.Status, body)
	}
	return body, err
}

var remoteWriteHeaders = http.Header{
	"Content-Encoding": {"snappy"}, "Content-Type": {"application/x-protobuf"}, "X-Prometheus-Remote-Write-Version": {"0.1.0"},
}

// remoteWrites are the bodies of requests that write the samples, in the order of time.
//
// Format: https://prometheus.io/docs/specs/prw/remote_write_spec/
func (d dataset) remoteWrites(histograms bool) [][]byte {
	const batch = 2 * time.Hour
	var bodies [][]byte
	for from := d.from; from.Before(d.to); from = from.Add(batch) {
		var request prompb.WriteRequest
		for _, s := range d.series {
			written := prompb.TimeSeries{Labels: prompb.FromLabels(s.labels, nil)}
			for _, p := range s.samples {
				switch at := p.at.UnixMilli(); {
				case p.at.Before(from) || !p.at.Before(from.Add(batch)):
				case p.histogram == nil:
					written.Samples = append(written.Samples, prompb.Sample{Value: p.value, Timestamp: at})
				case histograms:
					written.Histograms = append(written.Histograms, prompb.FromIntHistogram(at, p.histogram))
				}
			}
			if len(written.Samples)+len(written.Histograms) > 0 {
				request.Timeseries = append(request.Timeseries, written)
			}
		}
		if len(request.Timeseries) == 0 {
			continue
		}
		encoded, err := request.Marshal()
		if err != nil {
			panic(err) // a message of numbers and texts can be encoded
		}
		bodies = append(bodies, snappy.Encode(nil, encoded))
	}
	return bodies
}
