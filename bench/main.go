package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"text/tabwriter"
)

func main() {
	rounds := flag.Int("rounds", 15, "how often each comparison is repeated; medians are printed")
	backend := flag.String("backend", "", "the built backend, whose memory is measured; without it that table is left out")
	flag.Parse()
	if err := run(*rounds, *backend); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds int, backend string) error {
	fmt.Printf("%s, %d cores\n", runtime.Version(), runtime.NumCPU())
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, table := range []func(*tabwriter.Writer) error{
		answerCosts,
		func(w *tabwriter.Writer) error { return overhead(w, rounds) },
		annotations,
		lists,
		func(w *tabwriter.Writer) error { return memory(w, backend) },
	} {
		if err := table(out); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func row(w *tabwriter.Writer, cells ...any) {
	for _, cell := range cells {
		_, _ = fmt.Fprint(w, cell, "\t")
	}
	_, _ = fmt.Fprintln(w)
}
