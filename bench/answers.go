package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// answerCosts measures what the plugin does with an answer: unpack, decode, name, marshal. The platform's part is taken out
// by recording its answer once and replaying it, compressed as it came, on the loopback interface.
func answerCosts(w *tabwriter.Writer) error {
	_, _ = fmt.Fprintln(w, "\nHTTP body → marshalled frames (the platform's answer replayed)")
	row(w, "shape", "body", "packed", "time", "allocated", "allocations")
	for _, s := range shapes {
		recorded, err := record(s)
		if err != nil {
			return err
		}
		replay := httptest.NewServer(recorded)
		ds, err := newDatasource(replay.URL)
		if err != nil {
			return err
		}
		q := s.query()
		result := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := answer(ds, q); err != nil {
					b.Fatal(err)
				}
			}
		})
		ds.Dispose()
		replay.Close()
		if result.N == 0 {
			return fmt.Errorf("%s was not answered", s.name)
		}
		row(w, s.name, bytes(recorded.plain), bytes(len(recorded.packed)), duration(time.Duration(result.NsPerOp())),
			bytes(int(result.AllocedBytesPerOp())), result.AllocsPerOp())
	}
	return nil
}

// recording is an answer of the platform, served again and again.
type recording struct {
	packed []byte
	plain  int // the body's size before compression
}

func (r *recording) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write(r.packed)
}

func record(s shape) (*recording, error) {
	address, stop := s.simulate()
	defer stop()
	packed, err := fetch(directRequest(s, address), true)
	if err != nil {
		return nil, err
	}
	plain, err := fetch(directRequest(s, address), false)
	if err != nil {
		return nil, err
	}
	if found := strings.Count(string(plain), `"metric"`); found != s.series {
		return nil, fmt.Errorf("%s: %d series instead of %d", s.name, found, s.series)
	}
	return &recording{packed, len(plain)}, nil
}

// direct asks as any program would, without the plugin.
var direct = &http.Client{Timeout: time.Minute}

// fetch reads a whole answer, left packed or not.
func fetch(req *http.Request, packed bool) ([]byte, error) {
	if packed {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	resp, err := direct.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the platform answered with %s", resp.Status)
	}
	return io.ReadAll(resp.Body)
}

func bytes(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

func duration(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
