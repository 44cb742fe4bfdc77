package scenes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// root is the repository's folder, as tests of a folder in tests/ see it.
var root = folder()

// queries are those of an evaluation as they are saved: one, or those of all recording rules of a name.
func (e *Evaluation) queries(s *Scene) ([]map[string]any, error) {
	if e.kind == "record" {
		return e.recordQueries()
	}
	saved, err := e.query(s)
	return []map[string]any{saved}, err
}

func (e *Evaluation) query(s *Scene) (map[string]any, error) {
	switch e.kind {
	case "panel", "variable":
		return e.dashboardQuery(s)
	case "rule":
		return e.ruleQuery()
	}
	saved := map[string]any{}
	return saved, json.Unmarshal([]byte(e.saved), &saved)
}

type panel struct {
	Title   string
	Targets []map[string]any
	Panels  []panel // of a folded row
}

type dashboard struct {
	UID        string
	Panels     []panel
	Templating struct{ List []variable }
}

type variable struct {
	Name, Type, AllValue, Regex string
	Query                       any
	IncludeAll                  bool
	Options                     []struct{ Value string }
}

// dashboards are those that come with the plugin, read once for all scenes, none of which may change what is in them.
var dashboards = sync.OnceValues(func() ([]dashboard, error) {
	return readAll[dashboard](root+"src/dashboards/*.json", json.Unmarshal)
})

// dashboardQuery is a query of a panel, or that of a variable, with the variables in it replaced.
func (e *Evaluation) dashboardQuery(s *Scene) (map[string]any, error) {
	all, err := dashboards()
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		if d.UID != e.uid {
			continue
		}
		for _, v := range d.Templating.List {
			if text := v.text(); e.kind == "variable" && v.Name == e.title {
				return e.fill(s, d, map[string]any{"expr": strings.TrimSuffix(strings.TrimPrefix(text, "query_result("), ")")})
			}
		}
		for panels := d.Panels; len(panels) > 0; panels = panels[1:] {
			for _, target := range panels[0].Targets {
				if panels[0].Title == e.title && target["refId"] == cmp.Or(e.refID, "A") {
					return e.fill(s, d, target)
				}
			}
			panels = append(panels, panels[0].Panels...)
		}
	}
	return nil, fmt.Errorf("no dashboard %q has a panel %q with a query %s", e.uid, e.title, cmp.Or(e.refID, "A"))
}

var (
	reference = regexp.MustCompile(`\$(?:\{([a-zA-Z]\w*)(?::\w+)?\}|([a-zA-Z]\w*))`)
	// hostLabels are those that can name a node, in the query of the variable for them.
	hostLabels = regexp.MustCompile(`"host", "(\w+)"`)
	// otherwise is the number of a variable for which nothing is found.
	otherwise = regexp.MustCompile(` or on \(\) vector\((\d+)\)\)$`)
	elsewhere = regexp.MustCompile(` or on \(\) label_replace\(vector\(0\), "\w+", "([^"]+)", "", ""\)\)$`)
	prefixes  = regexp.MustCompile(`^metrics\((.+)\)$`)
)

// fill replaces variables with those of the evaluation, or with those that a dashboard has at first.
func (e *Evaluation) fill(s *Scene, d dashboard, target map[string]any) (map[string]any, error) {
	encoded, err := json.Marshal(target)
	if err != nil {
		return nil, err
	}
	var missing error
	filled := reference.ReplaceAllStringFunc(string(encoded), func(found string) string {
		parts := reference.FindStringSubmatch(found)
		name := parts[1] + parts[2]
		value, ok := e.variables[name]
		if at := slices.IndexFunc(d.Templating.List, func(v variable) bool { return v.Name == name }); !ok && at >= 0 {
			value, ok = s.first(d.Templating.List[at])
		}
		if !ok && name != "datasource" {
			missing = fmt.Errorf("the variable %q needs a value", name)
		}
		quoted, _ := json.Marshal(value) // a text can be encoded
		return strings.Trim(string(quoted), `"`)
	})
	saved := map[string]any{}
	if err := json.Unmarshal([]byte(filled), &saved); err != nil {
		return nil, err
	}
	return saved, missing
}

// text is the query of a variable that has one in PromQL.
func (v variable) text() string {
	query, _ := v.Query.(map[string]any)
	text, _ := query["query"].(string)
	return text
}

// first is the value that a variable has at first, if it does not depend on others.
func (s *Scene) first(v variable) (value string, ok bool) {
	text := v.text()
	switch {
	case v.IncludeAll:
		return cmp.Or(v.AllValue, ".*"), true
	case v.Type == "textbox":
		return v.Query.(string), true
	case len(v.Options) > 0:
		return v.Options[0].Value, true
	case strings.Contains(text, `"()"`):
		return "()", true // the end of a pattern that leaves nothing out
	case v.Name == "host", v.Name == "also":
		return s.firstLabel(hostLabels.FindAllStringSubmatch(text, -1))
	case elsewhere.MatchString(text):
		return elsewhere.FindStringSubmatch(text)[1], true
	case otherwise.MatchString(text):
		return otherwise.FindStringSubmatch(text)[1], true
	case prefixes.MatchString(text):
		return s.greatest(v.Regex, regexp.MustCompile("^(?:"+prefixes.FindStringSubmatch(text)[1]+")$"))
	}
	return "", false
}

// firstLabel is the first of the labels that a series has.
func (s *Scene) firstLabel(labels [][]string) (value string, ok bool) {
	for _, label := range labels {
		for _, series := range s.Series {
			if series.Labels.Has(label[1]) {
				return label[1], true
			}
		}
	}
	return "", false
}

// greatest is the last of the names of metrics that match a variable's regular expression.
func (s *Scene) greatest(pattern string, name *regexp.Regexp) (value string, ok bool) {
	matches := regexp.MustCompile(cmp.Or(strings.Trim(pattern, "/"), "(.*)"))
	consider := func(text string) {
		if found := matches.FindStringSubmatch(text); found != nil && found[1] >= value {
			value, ok = found[1], true
		}
	}
	for _, series := range s.Series {
		if own := series.Labels.Get("__name__"); name.MatchString(own) {
			consider(own)
		}
	}
	return value, ok
}

type provisioned struct {
	Groups []struct {
		Rules []struct {
			UID          string
			Data         []struct{ Model map[string]any }
			Record, Expr string
		}
	}
}

// rules are the provisioned alert rules, and recordings the recording rules.
var (
	rules = sync.OnceValues(func() ([]provisioned, error) {
		return readAll[provisioned](root+"provisioning/alerting/*.yaml", yaml.Unmarshal)
	})
	recordings = sync.OnceValues(func() ([]provisioned, error) {
		return readAll[provisioned](root+"provisioning/recording/*.yaml", yaml.Unmarshal)
	})
)

// ruleQuery is the first query of a provisioned alert rule.
func (e *Evaluation) ruleQuery() (map[string]any, error) {
	all, err := rules()
	if err != nil {
		return nil, err
	}
	for _, file := range all {
		for _, group := range file.Groups {
			for _, rule := range group.Rules {
				if rule.UID == e.uid {
					return maps.Clone(rule.Data[0].Model), nil
				}
			}
		}
	}
	return nil, fmt.Errorf("there is no rule %q", e.uid)
}

// recordQueries are what all recording rules of a name record. Each is short enough for VictoriaMetrics.
func (e *Evaluation) recordQueries() ([]map[string]any, error) {
	all, err := recordings()
	if err != nil {
		return nil, err
	}
	var found []map[string]any
	for _, file := range all {
		for _, group := range file.Groups {
			for _, rule := range group.Rules {
				if rule.Record == e.uid {
					found = append(found, map[string]any{"expr": rule.Expr})
				}
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no recording rule %q", e.uid)
	}
	return found, nil
}

// readAll reads the files that match a pattern.
func readAll[T any](pattern string, decode func([]byte, any) error) ([]T, error) {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	list := make([]T, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := decode(text, &list[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return list, nil
}

// PanelExpr is the PromQL of a query of a panel with its variables replaced.
func PanelExpr(uid, title, refID string, variables map[string]string) (string, error) {
	e := &Evaluation{uid: uid, title: title, refID: refID, variables: variables}
	saved, err := e.dashboardQuery(&Scene{})
	if err != nil {
		return "", err
	}
	return saved["expr"].(string), nil
}

// folder is the repository's, from that of a test.
func folder() string {
	for _, up := range []string{"../../", "../../../"} {
		if _, err := os.Stat(up + "package.json"); err == nil {
			return up
		}
	}
	return "../../"
}
