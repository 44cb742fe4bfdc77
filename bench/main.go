package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
)

// options are what the command line and the environment say.
type options struct {
	// backend is the built backend, whose memory is measured; without it those rows are left out.
	backend string
	// latency is what each answer of the platform takes at least, where a measurement has none of its own.
	latency time.Duration
	// rounds is how often each comparison is repeated.
	rounds int
	// minutes of load, in place of everything else.
	minutes int
	// grafana is the address of a Grafana to measure through, in place of everything else.
	grafana string
	json    bool
}

func main() {
	var o options
	flag.StringVar(&o.backend, "backend", "", "the built backend, whose memory is measured; without it that is left out")
	flag.DurationVar(&o.latency, "latency", 50*time.Millisecond, "how long the platform takes for each answer, at least")
	flag.IntVar(&o.rounds, "rounds", 9, "how often each comparison is repeated")
	flag.IntVar(&o.minutes, "minutes", 0, "only put the wall display's load on the built backend for so many minutes, and watch its memory")
	flag.BoolVar(&o.json, "json", false, "print JSON")
	flag.Parse()
	log.DefaultLogger = log.NewNullLogger() // the plugin's, which tells of every query
	o.grafana = os.Getenv("GRAFANA_URL")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measurement adds its rows to the report.
type measurement func(context.Context, options, *report.Report) error

func run(ctx context.Context, o options, out io.Writer) error {
	all := []measurement{
		decoding, answers, overhead, wall, alertStorm, scroll, refresh, scale, cacheMemory, annotations, lists, processMemory,
	}
	switch {
	case o.minutes > 0:
		all = []measurement{soak}
	case o.grafana != "":
		all = []measurement{throughGrafana}
	}
	r := &report.Report{Go: runtime.Version(), Cores: runtime.NumCPU(), Latency: report.Took(o.latency).Value}
	for _, measure := range all {
		if err := measure(ctx, o, r); err != nil {
			return err
		}
		runtime.GC() // what one measurement leaves behind is not to slow the next
	}
	write := r.WriteText
	if o.json {
		write = r.WriteJSON
	}
	if err := write(out); err != nil {
		return err
	}
	if missed := r.Missed(); missed > 0 {
		return fmt.Errorf("goals missed: %d", missed)
	}
	return nil
}
