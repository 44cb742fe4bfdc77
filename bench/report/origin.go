package report

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// Origin is when, where and of what the figures of a report are.
type Origin struct {
	// Date is the day on which the run began, as in 2025-06-02.
	Date string `json:"date"`
	// Commit is the commit that is measured, and Changed whether files of the repository differ from it.
	Commit  string `json:"commit"`
	Changed bool   `json:"changed"`
	// Processor is the model of the machine's processor, Cores how many cores the run could use.
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
	// Load is the machine's load average of the minute before the run, empty where that is not known.
	Load string `json:"load"`
	// Go is the version of Go.
	Go string `json:"go"`
}

// ThisOrigin is the origin of a run that begins now, in the current folder of a repository.
func ThisOrigin(ctx context.Context) Origin {
	load, _, _ := strings.Cut(read("/proc/loadavg"), " ")
	return Origin{
		Date: time.Now().Format(time.DateOnly), Commit: cmp.Or(git(ctx, "rev-parse", "--short", "HEAD"), "unknown"),
		Changed: git(ctx, "status", "--porcelain") != "", Processor: processor(read("/proc/cpuinfo")),
		Cores: runtime.GOMAXPROCS(0), Load: load, Go: runtime.Version(),
	}
}

// String writes the origin in two lines.
func (o Origin) String() string {
	commit := o.Commit
	if o.Changed {
		commit += " with changes"
	}
	load := "unknown"
	if o.Load != "" {
		load = o.Load
	}
	return fmt.Sprintf("%s, commit %s, %s\n%s, %d cores, load before the run %s", o.Date, commit, o.Go, o.Processor, o.Cores, load)
}

var modelName = regexp.MustCompile(`(?m)^(?:model name|Model|Hardware)\s*:\s*(.+)$`)

// processor is the first processor's model in the content of /proc/cpuinfo; without one, the architecture.
func processor(cpuinfo string) string {
	if found := modelName.FindStringSubmatch(cpuinfo); found != nil {
		return strings.TrimSpace(found[1])
	}
	return "unknown processor of " + runtime.GOARCH
}

func read(path string) string {
	content, _ := os.ReadFile(path) //nolint:gosec // a file of the operating system
	return string(content)
}

// git is what a command of git prints, nothing if it fails.
func git(ctx context.Context, args ...string) string {
	output, _ := exec.CommandContext(ctx, "git", args...).Output() //nolint:gosec // fixed commands
	return strings.TrimSpace(string(output))
}
