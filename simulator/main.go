// Command simulator serves a made-up GPU cloud platform, for demonstrations, tests and benchmarks.
//
// # Where to find what
//
//   - platform has the platform as one handler: routes, faults, counters.
//   - promapi serves PromQL over metrics, which has the metric families.
//   - gateway is the tuning gateway, and mainapi the signed main API.
//   - scenario is what happens on the platform; all services read it.
//   - options.go reads the command line.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "simulator:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. It prints the addresses and credentials on out, as one line of JSON, once it listens.
func run(ctx context.Context, args []string, out io.Writer) error {
	options, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", options.listen)
	if err != nil {
		return err
	}
	p := platform.New(options.config)
	server := &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	if err := json.NewEncoder(out).Encode(accessOf(p, listener.Addr())); err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err = <-served:
		return err
	case <-ctx.Done():
	}
	p.ClearFaults()
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return server.Shutdown(grace)
}
