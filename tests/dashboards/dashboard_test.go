package dashboards_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
	"github.com/stretchr/testify/require"
)

// dashboard has the members of a dashboard's JSON that the tests use.
type dashboard struct {
	UID, Title, Description string
	Refresh                 string
	Time                    struct{ From, To string }
	Templating              struct{ List []variable }
	Annotations             struct{ List []annotation }
	Panels                  []panel

	file, text string
}

type variable struct {
	Name, Type, AllValue, Regex string
	Definition                  string
	Query                       any
	Multi, IncludeAll           bool
	Options                     []struct{ Value string }
	Current                     struct{ Value any }
	Hide                        int
}

type annotation struct {
	Name   string
	Target map[string]any
}

type panel struct {
	ID                                           int
	Type, Title, Description, Interval, TimeFrom string
	MaxDataPoints                                int64
	GridPos                                      struct{ W int }
	Panels                                       []panel // of a folded row
	Targets                                      []map[string]any
	Transformations                              []transformation
	Options                                      map[string]any
	FieldConfig                                  struct {
		Defaults  map[string]any
		Overrides []map[string]any
	}
}

type transformation struct {
	ID      string
	Filter  any
	Options map[string]any
}

// read reads every dashboard that comes with the plugin, once for all tests, none of which may change what is in it.
var read = sync.OnceValues(func() ([]dashboard, error) {
	files, err := filepath.Glob("../../src/dashboards/*.json")
	list := make([]dashboard, len(files))
	for i, file := range files {
		var text []byte
		if text, err = os.ReadFile(file); err == nil {
			err = json.Unmarshal(text, &list[i])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list[i].file, list[i].text = filepath.Base(file), string(text)
	}
	return list, err
})

func load(t testing.TB) []dashboard {
	t.Helper()
	list, err := read()
	require.NoError(t, err)
	require.Len(t, list, 11)
	return list
}

// find is the dashboard with a uid.
func find(t *testing.T, uid string) dashboard {
	t.Helper()
	for _, d := range load(t) {
		if d.UID == uid {
			return d
		}
	}
	require.Fail(t, "there is no dashboard "+uid)
	return dashboard{}
}

// panel is the panel with a title.
func (d dashboard) panel(t *testing.T, title string) panel {
	t.Helper()
	for _, p := range d.charts() {
		if p.Title == title {
			return p
		}
	}
	require.Fail(t, d.Title+" has no panel "+title)
	return panel{}
}

// all are the panels, those of folded rows too.
func (d dashboard) all() []panel {
	var list []panel
	for _, p := range d.Panels {
		list = append(append(list, p), p.Panels...)
	}
	return list
}

// charts are the panels with queries: one that shows the result of another has those of that.
func (d dashboard) charts() []panel {
	var list []panel
	for _, p := range d.all() {
		if p.Type != "row" && p.Type != "alertlist" {
			if id, shared := p.Targets[0]["panelId"]; shared {
				source := slices.IndexFunc(d.Panels, func(p panel) bool { return float64(p.ID) == id })
				p.Targets = d.Panels[source].Targets
			}
			list = append(list, p)
		}
	}
	return list
}

// eachChart is a test of every panel with queries.
func eachChart(t *testing.T, test func(t *testing.T, d dashboard, p panel)) {
	t.Helper()
	for _, d := range load(t) {
		for _, p := range d.charts() {
			t.Run(d.Title+"/"+p.Title, func(t *testing.T) { test(t, d, p) })
		}
	}
}

// span is the default time range of the dashboard.
func (d dashboard) span(t testing.TB) time.Duration {
	t.Helper()
	span, err := gtime.ParseDuration(strings.TrimPrefix(d.Time.From, "now-"))
	require.NoError(t, err)
	return span
}

// step is Grafana's interval for a panel.
func (p panel) step(t testing.TB, vars values, span time.Duration) time.Duration {
	t.Helper()
	shortest, err := gtime.ParseDuration(vars.inPromQL(p.Interval))
	require.NoError(t, err)
	return max(shortest, gtime.RoundInterval(span/time.Duration(p.MaxDataPoints)))
}
