package archive

import (
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// The labels of classic histograms and summaries whose values are numbers. Prometheus 3 and Alloy write them as OpenMetrics does
// when they scrape, "1.0" for "1", so an archive that they feed has them in another form than the platform:
// https://prometheus.io/docs/prometheus/latest/migration/#le-and-quantile-label-values
var numberLabels = []string{labels.BucketLabel, "quantile"}

// canonicalNumbers returns labels with the numbers in the form of OpenMetrics.
func canonicalNumbers(of data.Labels) data.Labels {
	changed := of
	for _, name := range numberLabels {
		number, err := strconv.ParseFloat(of[name], 64)
		if err != nil || of[name] == labels.FormatOpenMetricsFloat(number) {
			continue
		}
		changed = maps.Clone(changed)
		changed[name] = labels.FormatOpenMetricsFloat(number)
	}
	return changed
}

// mayMatchNumber finds every expression with a matcher of such a label, and some without.
var mayMatchNumber = regexp.MustCompile(`\b(?:le|quantile)["']?\s*!?=`)

// matchingAllForms lets matchers for one number match all forms of it. An expression that can't be parsed stays as it is.
func matchingAllForms(q promql.Query) promql.Query {
	if !mayMatchNumber.MatchString(q.Expr) {
		return q
	}
	parsed, err := promql.Parse(q.Expr)
	if err != nil {
		return q
	}
	changed := false
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			for i, m := range selector.LabelMatchers {
				if all := allForms(m); all != nil {
					selector.LabelMatchers[i], changed = all, true
				}
			}
		}
		return nil
	})
	if !changed {
		return q
	}
	q.Expr = parsed.String()
	return q
}

// allForms returns nil for a matcher that has no other form.
func allForms(m *labels.Matcher) *labels.Matcher {
	number, err := strconv.ParseFloat(m.Value, 64)
	if !slices.Contains(numberLabels, m.Name) || m.Type > labels.MatchNotEqual || err != nil {
		return nil
	}
	forms := []string{m.Value, labels.FormatOpenMetricsFloat(number), strconv.FormatFloat(number, 'f', -1, 64), strconv.FormatFloat(number, 'g', -1, 64)}
	slices.Sort(forms)
	forms = slices.Compact(forms)
	if len(forms) == 1 {
		return nil
	}
	kind := labels.MatchRegexp
	if m.Type == labels.MatchNotEqual {
		kind = labels.MatchNotRegexp
	}
	pattern := ""
	for _, form := range forms {
		pattern += "|" + regexp.QuoteMeta(form)
	}
	return labels.MustNewMatcher(kind, m.Name, pattern[1:])
}
