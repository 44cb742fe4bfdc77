package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
)

// promlibModule is the folder of the program that compares the decoders. It is outside the workspace.
const promlibModule = "bench/promlib"

// decoding compares the plugin's decoder with that of Grafana's own Prometheus data source. Where that can't be had, because the
// module proxy doesn't have it, the report says so.
func decoding(ctx context.Context, o options, r *report.Report) error {
	folder, err := os.MkdirTemp("", "bench-responses-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	program := filepath.Join(folder, "promlib")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, ".") //nolint:gosec // a folder of the bench's own
	build.Dir, build.Env = promlibModule, append(os.Environ(), "GOWORK=off")
	if output, err := build.CombinedOutput(); err != nil {
		r.Note("The decoder of Grafana's Prometheus data source is not compared, because it could not be built: %s", output)
		return ctx.Err()
	}
	for i, s := range shapes {
		recorded, err := s.record()
		if err != nil {
			return err
		}
		if err := recorded.write(filepath.Join(folder, fmt.Sprintf("%d %s.json", i, s.name))); err != nil {
			return err
		}
	}
	compare := exec.CommandContext(ctx, program, "-rounds", fmt.Sprint(o.rounds), folder) //nolint:gosec // built just now
	compare.Stderr = os.Stderr
	output, err := compare.Output()
	if err != nil {
		return err
	}
	var compared report.Report
	if err := json.Unmarshal(output, &compared); err != nil {
		return err
	}
	r.Rows = append(r.Rows, compared.Rows...)
	return nil
}

// write writes the response to a file, and as it was sent to another, which ends in .gz.
func (r *recording) write(path string) error {
	return errors.Join(os.WriteFile(path, r.plain, 0o600), os.WriteFile(path+".gz", r.packed, 0o600))
}
