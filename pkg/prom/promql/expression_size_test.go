package promql_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/budgettest"
)

var times = strings.Repeat

func TestParse_WithinBounds(t *testing.T) {
	for name, expr := range map[string]string{
		"a selector":                        `up`,
		"brackets in strings and comments":  `up{a="` + times("(", 200) + `"} # ` + times("[", 200) + "\n" + `+ up{a='` + times("{", 200) + `'}`,
		"operators in selectors":            "up{" + times(`a!="b",`, 500) + "}",
		"an escaped quote":                  `up{a="\"` + times("(", 200) + `"}`,
		"a backquoted string":               "up{a=`\\`} + " + times("(", 90) + "up" + times(")", 90),
		"100 levels":                        times("(", 100) + "up" + times(")", 100),
		"250 operators":                     "up" + times(" + up", 250),
		"an address":                        `up{instance=~"\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}(:\\d{1,5})?"}`,
		"a GPU's UUID":                      `up{UUID=~"(?i)GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-.{12}"}`,
		"a list of a thousand names":        `up{vm_name=~"` + times("node-1|", 1000) + `x"}`,
		"all syntax of regular expressions": `up{a=~"(?:\\Q({[\\E|[^]a-z[:^digit:]\\]]+|\\p{Greek}{2,}|x{,5}|\\x{10ffff}){3}"}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := promql.Parse(expr)
			require.NoError(t, err)
		})
	}
}

// Regular expressions are not compiled, but written as they were.
func TestParse_KeepsRegularExpressions(t *testing.T) {
	for _, expr := range []string{
		`up{a=~"x|y",b!~"z.*",c="~",d!="=~"}`, "{__name__=~`a|b`,c=~ # why\n  'it\\'s'}", `{"a.b","c d"=~"\\d+\u00e9"}`,
		`topk(scalar(n{a=~"x"}),sum by (b) (rate(m{c!~"y"}[5m] offset 1m))) and on (a) up{a=~""}`, `label_replace(up{a=~"=~"},"b","$1","a","=~(.*)")`,
	} {
		want, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
		require.NoError(t, err)
		got, err := promql.Parse(expr)
		require.NoError(t, err)
		require.Equal(t, want.String(), got.String())
	}
}

func TestParse_OverBounds(t *testing.T) {
	for name, test := range map[string]struct{ expr, want string }{
		"too long":             {"up" + times(" ", maxLength), "has 65538 bytes, and the limit is 65536"},
		"too deep":             {times("(", 101) + "up" + times(")", 101), "deeper than 100 levels"},
		"too deep in calls":    {times("sum(rate((", 34), "deeper than 100 levels"},
		"deep after a string":  {`up{a="}"} + ` + times("(", 101), "deeper than 100 levels"},
		"deep after a comment": {"# \"\n" + times("(", 101), "deeper than 100 levels"},
		"too many signs":       {times("-", 251) + "up", "more than 250 operators"},
		"too many sums":        {"1" + times("+1", 251), "more than 250 operators"},
		"too many subqueries":  {"up" + times("[1m:]", 252), "more than 250 operators"},
		"too many words":       {"up" + times(" OR up", 251), "more than 250 operators"},
		"a marked text":        {`up{a="\u0001b"}`, "has a text that begins with the character U+0001"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := promql.Parse(test.expr)
			var bound *promql.BoundError
			require.ErrorAs(t, err, &bound)
			require.ErrorContains(t, err, test.want)
			require.ErrorAs(t, promql.CheckSelectors([]string{test.expr}), &bound)
		})
	}
}

func TestCheckSelectors_Bounds(t *testing.T) {
	require.NoError(t, promql.CheckSelectors(slices.Repeat([]string{`up{vm_name=~"node-[0-9]+"}`}, 100)))
	require.ErrorContains(t, promql.CheckSelectors(slices.Repeat([]string{"up"}, 101)), "is one of 101, and the limit is 100")
}

// maxLength is the bound of the length of an expression.
const maxLength = 64 << 10

// Budgets of an expression: several times the cost of the worst one known.
const (
	timeBudget   = 100 * time.Millisecond
	memoryBudget = 40 << 20
)

// worst are texts that are expensive to parse, as long as the bounds allow or longer.
var worst = []string{
	times("(", 200_000), times("(1+", 100_000), "1" + times("+1", 32_000), "up" + times("^up", 250), times("-", 250) + "up", times("-", 64_000) + "up",
	"up" + times(" or up", 12_800), "up" + times("[1m:]", 12_800), "up" + times(" offset 1m", 6_400), times("sum(", 100) + "up" + times(")", 100),
	times(times("(", 100)+"up"+times(")", 100)+"+", 320) + "up", "up[" + times("1+", 32_000) + "1]", "up[" + times("1+", 250) + "1]", "up{" + times(`a=~".",`, 8_800) + "}",
	`up{a=~"(` + times("a", 25_600) + `){1000}"}`, "up{" + times(`a=~"a{999}",`, 4_800) + "}", "up{" + times(`a=~"a{999}",`, 20) + "}",
	`up{a=~"` + times(`\\pL`, 16_000) + `"}`, `up{a=~"(?i)` + times(`\\pL`, 16_000) + `"}`, `up{a=~"(?i)` + times(`\\pL`, 4) + `"}`, `up{a=~"` + times(`\\PC`, 60) + `"}`,
	"up{a=~# a comment\n\"(" + times("a", 25_600) + `){1000}"}`, "up{" + times("a=~#\n\"a{999}\",", 3_800) + "}",
	`up{a=~"` + times("(a?)", 16_000) + `"}`, `up{a=~"` + times("(a|b)", 12_800) + `"}`, `up{a=~"` + times(".*", 32_000) + `"}`, `up{a=~"(?i)[` + times(`b-\\x{1e900}`, 4_800) + `]"}`,
	times("9", 64_000), times("1d", 32_000), times("\n", 64_000) + "up", times("#\n", 32_000) + "up", `"` + times(`\\`, 32_000) + `"`, times("\"", 64_000), times("{", 64_000), times("\x00", 64_000),
	"sum by (" + times("a,", 32_000) + "a) (up)", `label_join(up` + times(`,""`, 21_600) + ")",
}

func TestParse_Budgets(t *testing.T) {
	for _, text := range worst {
		t.Run(text[:min(len(text), 24)], func(t *testing.T) {
			budgettest.Within(t, timeBudget, memoryBudget, func() {
				if expr, err := promql.Parse(text); err == nil {
					_ = expr.String()
				}
				promql.New(text)
				_ = promql.CheckSelectors([]string{text})
			})
		})
	}
}

func FuzzParseWithinBudgets(f *testing.F) {
	for _, text := range worst {
		f.Add(text[:min(len(text), 200)], 40)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		text = times(text, 1+max(0, n)%(1+(maxLength/max(1, len(text)))))
		budgettest.Within(t, timeBudget, memoryBudget, func() {
			if expr, err := promql.Parse(text); err == nil {
				_ = expr.String()
			}
			promql.New(text)
		})
	})
}
