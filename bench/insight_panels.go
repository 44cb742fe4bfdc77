package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"regexp"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// panelExpr is the expression of a panel's first query in a dashboard, with its variables as they are at first, and all nodes.
func panelExpr(dashboard, title string) (string, error) {
	encoded, err := fs.ReadFile(os.DirFS("src/dashboards"), dashboard+".json")
	if err != nil {
		return "", err
	}
	type panel struct {
		Title   string
		Targets []struct{ Expr string }
		Panels  []panel
	}
	var board struct {
		Panels     []panel
		Templating struct {
			List []struct {
				Name    string
				Current struct{ Value any }
			}
		}
	}
	if err := json.Unmarshal(encoded, &board); err != nil {
		return "", err
	}
	values := map[string]string{"host": "vm_name", "prefix": "vendor"}
	for _, variable := range board.Templating.List {
		if text, ok := variable.Current.Value.(string); ok && values[variable.Name] == "" {
			values[variable.Name] = text
		}
	}
	for panels := board.Panels; len(panels) > 0; panels = panels[1:] {
		if p := panels[0]; p.Title == title && len(p.Targets) > 0 {
			return variables.ReplaceAllStringFunc(p.Targets[0].Expr, func(name string) string {
				parts := variables.FindStringSubmatch(name)
				if value := values[parts[1]+parts[2]]; value != "" {
					return value
				}
				return ".*"
			}), nil
		}
		panels = append(panels, panels[0].Panels...)
	}
	return "", fmt.Errorf("%w: %s has no panel %s", errWrong, dashboard, title)
}

var variables = regexp.MustCompile(`\$(?:\{(\w+)\}|([a-z]\w*))`)

// slowPlatform is a platform with random slowdowns, and a data source of it.
type slowPlatform struct {
	*platform.Platform
	server *httptest.Server
	ds     *plugin.Datasource
	to     time.Time
}

// insightSpan is how long a platform is looked at, and insightStep how often.
const (
	insightSpan = 24 * time.Hour
	insightStep = 5 * time.Minute
)

func newSlowPlatform(seed uint64) (*slowPlatform, error) {
	c := platform.Config{Seed: seed, Nodes: platform.DefaultNodes, GPUsPerNode: platform.DefaultGPUsPerNode}
	to := time.Now().Truncate(insightStep)
	fleet := scenario.New(scenario.Config{Nodes: c.Nodes, GPUsPerNode: c.GPUsPerNode, Now: to}).Fleet()
	c.Slowdowns = scenario.RandomSlowdowns(seed, fleet, to.Add(-insightSpan).UnixMilli(), to.UnixMilli())
	p := platform.New(c)
	server := httptest.NewServer(p)
	ds, err := newDatasource(server.URL, false, map[string]any{"maxSeries": 100_000})
	if err != nil {
		server.Close()
		return nil, err
	}
	return &slowPlatform{p, server, ds, to}, nil
}

func (p *slowPlatform) close() {
	p.ds.Dispose()
	p.server.Close()
}

// evaluate evaluates an expression at each step, and calls fn with the labels and the value of each series that has one.
func (p *slowPlatform) evaluate(expr string, fn func(at time.Time, labels map[string]string, value float64)) error {
	found, err := frames(p.ds, rangeQuery(expr, p.to.Add(-insightSpan), p.to, insightStep))
	if err != nil {
		return err
	}
	for _, frame := range found {
		if len(frame.Fields) < 2 || frame.Fields[1].Type() != data.FieldTypeFloat64 {
			continue
		}
		labels := maps.Clone(frame.Fields[1].Labels)
		for row := range frame.Rows() {
			fn(frame.Fields[0].At(row).(time.Time), labels, frame.Fields[1].At(row).(float64))
		}
	}
	return nil
}
