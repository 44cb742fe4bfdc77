package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
)

// options are what the command line and the environment say.
type options struct {
	// backend is the built backend, whose memory is measured; without it those rows are left out.
	backend string
	// latency is what each response of the platform takes at least, where a measurement has none of its own.
	latency time.Duration
	// rounds is how often each comparison is repeated.
	rounds int
	// minutes that the long run takes.
	minutes int
	// specOnly has the long run on a platform that serves only what its specification documents.
	specOnly bool
	// seeds is of how many platforms the scene runs compares reports with the truth.
	seeds int
	// grafana is the address of a Grafana to measure through; without it, what needs one is left out.
	grafana string
	// only are the names of the scenes to measure, separated by commas; empty for all that can be measured.
	only string
	json bool
}

func main() {
	var o options
	flag.StringVar(&o.backend, "backend", "", "the built backend, whose memory is measured; without it that is left out")
	flag.DurationVar(&o.latency, "latency", 50*time.Millisecond, "how long the platform takes for each response, at least")
	flag.IntVar(&o.rounds, "rounds", 9, "how often each comparison is repeated")
	flag.IntVar(&o.minutes, "minutes", 30, "how long the scene soak takes")
	flag.BoolVar(&o.specOnly, "spec-only", false, "the scene soak runs on a platform that serves only what its specification documents")
	flag.IntVar(&o.seeds, "seeds", 30, "with how many seeds the scene runs compares reports with the truth")
	flag.StringVar(&o.only, "only", "", "which scenes to measure, separated by commas: "+names(slices.Concat(inGrafana, scenes, long, insights)))
	flag.BoolVar(&o.json, "json", false, "print JSON")
	flag.Parse()
	log.DefaultLogger = log.NewNullLogger() // the plugin's, which logs every query
	o.grafana = os.Getenv("GRAFANA_URL")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// scene is something to measure, which adds its rows to the report.
type scene struct {
	name    string
	measure measurement
}

type measurement func(context.Context, options, *report.Report) error

// onBackend is a measurement of the built backend. Without one it is left out, unless its scene was named.
func onBackend(measure measurement) measurement {
	return func(ctx context.Context, o options, r *report.Report) error {
		switch {
		case o.backend != "":
			return measure(ctx, o, r)
		case o.only != "":
			return errors.New("there is no backend; name it with -backend")
		}
		return nil
	}
}

// inGrafana are scenes that need a Grafana. What they measure is what people notice, so they come first.
var inGrafana = []scene{
	{"browser", inBrowser},
	{"grafana", throughGrafana},
}

// scenes are measured by default, in this order.
var scenes = []scene{
	{"decoding", decoding},
	{"overhead", overhead},
	{"wall", wall},
	{"alerts", alertStorm},
	{"scroll", scroll},
	{"refresh", refresh},
	{"cold", cold},
	{"scale", scale},
	{"cache", cacheMemory},
	{"annotations", annotations},
	{"lists", lists},
	{"runs", runs},
	{"archive", archived},
	{"federate", onBackend(federate)},
	{"rules", onBackend(manyRules)},
	{"dashboards", onBackend(manyDashboards)},
	{"sources", onBackend(manySources)},
	{"month", month},
	{"program", onBackend(program)},
	{"process", onBackend(processMemory)},
	{"bombs", onBackend(gzipBombs)},
	{"hang", onBackend(hangingPlatform)},
}

// long are scenes that are measured only by name.
var long = []scene{{"build", buildProgram}, {"insight", insight}, {"soak", onBackend(soak)}}

func names(scenes []scene) string {
	var all []string
	for _, s := range scenes {
		all = append(all, s.name)
	}
	return strings.Join(all, ",")
}

// chosen are the scenes of the options.
func chosen(o options) ([]scene, error) {
	switch {
	case o.only == "" && o.grafana != "":
		return slices.Concat(inGrafana, scenes), nil
	case o.only == "":
		return scenes, nil
	}
	known := slices.Concat(inGrafana, scenes, long, insights)
	var some []scene
	for name := range strings.SplitSeq(o.only, ",") {
		i := slices.IndexFunc(known, func(s scene) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no scene %q; there are %s", name, names(known))
		}
		some = append(some, known[i])
	}
	return some, nil
}

// run measures and prints the report. Its error says which goals were missed.
func run(ctx context.Context, o options, out io.Writer) error {
	some, err := chosen(o)
	if err != nil {
		return err
	}
	r := &report.Report{Origin: report.ThisOrigin(ctx), Latency: report.Took(o.latency).Value}
	for _, s := range some {
		if err := s.measure(ctx, o, r); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		runtime.GC() // what one scene leaves behind is not to slow the next
	}
	write := r.WriteText
	if o.json {
		write = r.WriteJSON
	}
	if err := write(out); err != nil {
		return err
	}
	if missed := r.Missed(); len(missed) > 0 {
		return fmt.Errorf("goals missed: %d\n  ✘ %s", len(missed), strings.Join(missed, "\n  ✘ "))
	}
	return nil
}
