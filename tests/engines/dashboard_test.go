//go:build engines

package engines

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dashboardPanel is a panel of a dashboard, with its queries.
type dashboardPanel struct {
	Title   string
	Targets []struct {
		Expr    string
		Instant bool
	}
}

// dashboard is one as it comes with the plugin.
type dashboard struct {
	Panels     []dashboardPanel
	Templating struct {
		List []struct {
			Name, Type string
			Query      any
			Options    []struct{ Value string }
		}
	}
}

func readDashboard(t *testing.T, name string) dashboard {
	t.Helper()
	text, err := os.ReadFile("../../src/dashboards/" + name + ".json")
	require.NoError(t, err)
	var d dashboard
	require.NoError(t, json.Unmarshal(text, &d))
	return d
}

var inExpr = regexp.MustCompile(`\$(?:\{(\w+)\}|([a-z]\w*))`)

// expr is the first query of a panel with the values that variables have at first, and those given.
func (d dashboard) expr(t *testing.T, title string, chosen map[string]string) string {
	t.Helper()
	vars := map[string]string{}
	for _, v := range d.Templating.List {
		if text, ok := v.Query.(string); ok && v.Type == "textbox" {
			vars[v.Name] = text
		} else if len(v.Options) > 0 {
			vars[v.Name] = v.Options[0].Value
		}
	}
	at := slices.IndexFunc(d.Panels, func(p dashboardPanel) bool { return p.Title == title })
	require.GreaterOrEqual(t, at, 0, title)
	return inExpr.ReplaceAllStringFunc(d.Panels[at].Targets[0].Expr, func(found string) string {
		name := strings.Trim(found, "${}")
		if value, ok := chosen[name]; ok {
			return value
		}
		require.Contains(t, vars, name)
		return vars[name]
	})
}
