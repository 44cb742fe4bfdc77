package runs

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// maxGenerated bounds a query that is sent, in bytes. VictoriaMetrics refuses longer ones by default (-search.maxQueryLen is
	// 16 KiB).
	maxGenerated = 16_000
	// maxSelector bounds the matchers of a run's GPUs, in bytes.
	maxSelector = 2000
	// maxPiece bounds those of some nodes of a job, so that maxSelector has room for their cluster and the filters of the query. The largest
	// measure has them five times.
	maxPiece = 1500
)

// selector is the option with the label matchers of a run's GPUs, parsed.
type selector struct {
	// isSet is false for an option that is left empty, and without matchers all GPUs are meant.
	isSet    bool
	matchers []runMatcher
}

// runMatcher is a matcher in whose value labels of the run are to be set. Every second part of it is the name of a label.
type runMatcher struct {
	*labels.Matcher
	value []string
}

// parseSelector parses label matchers, with or without braces.
func parseSelector(text string) (selector, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return selector{}, nil
	}
	invalid := func(reason string) error {
		return &query.Error{Field: "GPUs", Message: reason + ` Write label matchers, for example nodepool_name="$node_pool", or {} for all GPUs.`}
	}
	if strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		text = text[1 : len(text)-1]
	}
	const metric = "x"
	parsed, err := promql.Parse(metric + "{" + text + "\n}")
	if err != nil {
		return selector{}, invalid(err.Error() + ".")
	}
	found, ok := parsed.(*parser.VectorSelector)
	if !ok || isMoved(found) || found.Name != metric {
		return selector{}, invalid("it is more than label matchers.")
	}
	s := selector{isSet: true}
	for _, m := range found.LabelMatchers {
		if m.Name != model.MetricNameLabel {
			s.matchers = append(s.matchers, runMatcher{m, cutAtLabels(m.Value)})
		}
	}
	return s, nil
}

// isMoved reports whether a selector is about another time, by an offset or @.
func isMoved(s *parser.VectorSelector) bool {
	return s.OriginalOffset != 0 || s.OriginalOffsetExpr != nil || s.Timestamp != nil || s.StartOrEnd != 0
}

// runLabel is a label of the run in a value.
var runLabel = regexp.MustCompile(`\$(?:\{(\w+)\}|(\w+))`)

func cutAtLabels(value string) (parts []string) {
	begin := 0
	for _, at := range runLabel.FindAllStringIndex(value, -1) {
		parts = append(parts, value[begin:at[0]], strings.Trim(value[at[0]:at[1]], "${}"))
		begin = at[1]
	}
	return append(parts, value[begin:])
}

// of sets the labels of a run in the values of the matchers, and says how its GPUs are known then. Labels that may be empty are where the
// run has none: PromQL does not tell them apart.
func (s selector) of(r *run, mayBeEmpty []string) allocation {
	matchers := make([]*labels.Matcher, len(s.matchers))
	how := bySelector
	if len(matchers) == 0 {
		how = byAll
	}
	size := 0
	for i, m := range s.matchers {
		isRegexp := m.Type == labels.MatchRegexp || m.Type == labels.MatchNotRegexp
		var set strings.Builder
		for n, part := range m.value {
			if n%2 == 1 {
				value, ok := r.labels[part]
				if !ok && !slices.Contains(mayBeEmpty, part) {
					return unknownGPUs("there is no label " + query.Shorten(part))
				}
				if part, how = value, byLabels; isRegexp {
					part = regexp.QuoteMeta(value)
				}
			}
			if size += len(part); size > maxSelector {
				return overLimit(maxSelector)
			}
			set.WriteString(part)
		}
		matchers[i] = &labels.Matcher{Type: m.Type, Name: m.Name, Value: set.String()}
	}
	return allocation{attribution: how, selector: matching(matchers...)}
}

// matching writes matchers as they are between braces.
func matching(matchers ...*labels.Matcher) string {
	texts := make([]string, len(matchers))
	for i, m := range matchers {
		texts[i] = m.String()
	}
	return strings.Join(texts, ", ")
}

func equal(name, value string) *labels.Matcher {
	return &labels.Matcher{Type: labels.MatchEqual, Name: name, Value: value}
}

// template is PromQL with the macros $selector, $run and $duration, cut at these. Every second part is the name of a macro.
type template []string

// macro matches one of these, and token a text within quotes, a comment or a macro.
const macro = `\$(?:\{(selector|run|duration)\}|(selector|run|duration)\b)`

var (
	macros = regexp.MustCompile(macro)
	tokens = regexp.MustCompile(`(?s)"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|\x60[^\x60]*\x60?|#[^\n]*|` + macro)
)

// parseTemplate finds the macros of an expression. Matchers within quotes would end the text, and change the expression.
func parseTemplate(field, expr string) (template, error) {
	var parts template
	begin := 0
	for _, at := range tokens.FindAllStringIndex(expr, -1) {
		found := expr[at[0]:at[1]]
		if found[0] == '$' {
			parts = append(parts, expr[begin:at[0]], strings.Trim(found, "${}"))
			begin = at[1]
		} else if name := macros.FindString(found); name != "" {
			return nil, &query.Error{Field: field, Message: fmt.Sprintf("$%s is within quotes or a comment, where it can't stand.", strings.Trim(name, "${}"))}
		}
	}
	return append(parts, expr[begin:]), nil
}

func (t template) isEmpty() bool { return len(t) == 0 || len(t) == 1 && strings.TrimSpace(t[0]) == "" }

// has reports whether the template has one of the macros.
func (t template) has(names ...string) bool {
	for i := 1; i < len(t); i += 2 {
		if slices.Contains(names, t[i]) {
			return true
		}
	}
	return false
}

// needsGPUs reports whether the expression of a run is about its GPUs. Without series of its own, $run is about them, too.
func (t template) needsGPUs(r *run) bool { return t.has("selector") || r.own == nil && t.has("run") }

// expand replaces the macros of a template for a run, and those of Grafana for its length and a step, and applies the filters.
func (t *task) expand(field string, expr template, r *allocated, step time.Duration) (string, error) {
	own := make([]*labels.Matcher, 0, len(r.own))
	for _, name := range slices.Sorted(maps.Keys(r.own)) {
		own = append(own, equal(name, r.own[name]))
	}
	values := map[string]string{
		"selector": r.selector, "run": matching(own...), "duration": fmt.Sprintf("%ds", int64(r.length().Seconds())),
	}
	if r.own == nil {
		values["run"] = r.selector
	}
	texts, size := make([]string, len(expr)), 0
	for i, part := range expr {
		if i%2 == 1 {
			texts[i] = values[part]
		} else {
			texts[i] = t.Metrics.Interpolate(part, r.window.length(), step)
		}
		size += len(texts[i])
	}
	if size > maxGenerated {
		return "", tooLong(field, r, size)
	}
	full, err := t.Narrow(strings.Join(texts, ""))
	if err == nil && len(full) > maxGenerated {
		err = tooLong(field, r, len(full))
	}
	return full, err
}

// checkGenerated checks the length of a query that is not about a single run.
func checkGenerated(field, expr string) error {
	return query.AtMost(field, "with it the query has %d bytes", len(expr), maxGenerated)
}

func tooLong(field string, r *allocated, size int) error {
	return &query.Error{Field: field, Message: fmt.Sprintf("with what it says of %s the query has %d bytes, and the limit is %d.", query.Shorten(r.name), size, maxGenerated)}
}
