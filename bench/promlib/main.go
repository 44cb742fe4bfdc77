package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
)

// response is a recorded response of the platform, named by the kind of result that it is.
type response struct {
	name          string
	packed, plain []byte
}

func main() {
	rounds := flag.Int("rounds", 9, "how often each comparison is repeated")
	flag.Parse()
	if err := run(*rounds, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run compares the decoders on the recorded responses in a folder and prints the report as JSON. A response NAME is in two
// files: NAME.json, and NAME.json.gz as it was sent. They are read in the order of their names, of which a prefix up to a
// space is not shown.
func run(rounds int, folder string) error {
	recorded, err := read(folder)
	if err != nil {
		return err
	}
	var r report.Report
	if err := decoding(rounds, recorded, &r); err != nil {
		return err
	}
	if err := responses(rounds, recorded, &r); err != nil {
		return err
	}
	return r.WriteJSON(os.Stdout)
}

func read(folder string) ([]response, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var recorded []response
	for _, file := range files {
		_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), " ")
		one := response{name: name}
		if one.plain, err = os.ReadFile(file); err != nil { //nolint:gosec // a file of the bench's own
			return nil, err
		}
		if one.packed, err = os.ReadFile(file + ".gz"); err != nil { //nolint:gosec // likewise
			return nil, err
		}
		recorded = append(recorded, one)
	}
	return recorded, nil
}
