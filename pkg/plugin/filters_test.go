package plugin_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

type filter struct{ key, operator, value string }

func (f filter) saved() values {
	if strings.HasSuffix(f.operator, "one-of") {
		var list []string
		if f.value != "" {
			list = strings.Split(f.value, ",")
		}
		return values{"key": f.key, "operator": f.operator, "values": list}
	}
	return values{"key": f.key, "operator": f.operator, "value": f.value}
}

func savedFilters(filters []filter) []values {
	saved := []values{}
	for _, f := range filters {
		saved = append(saved, f.saved())
	}
	return saved
}

// executed is the expression of a query's request.
func executed(t *testing.T, ds *plugin.Datasource, saved values) string {
	t.Helper()
	text := frames(t, ds, saved)[0].Meta.ExecutedQueryString
	expr, _, _ := strings.Cut(strings.TrimPrefix(text, "Expr: "), "\nStep: ")
	return expr
}

func TestFilters_Scopes(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	type list = []filter
	for name, test := range map[string]struct {
		expr   string
		scopes []list
		adhoc  list
		want   string
	}{
		"nothing at all":                                 {`up{b="1"}  `, nil, nil, `up{b="1"}  `},
		"a filter on a plain metric":                     {`up`, nil, list{{"a", "equals", "x"}}, `up{a="x"}`},
		"filters without scopes":                         {`up{b="1"}`, nil, list{{"a", "equals", "x"}, {"c", "not-equals", "y"}}, `up{a="x",b="1",c!="y"}`},
		"a scope":                                        {`up{b="1"}`, []list{{{"a", "regex-match", "x.*"}}}, nil, `up{a=~"x.*",b="1"}`},
		"a scope and a filter":                           {`up`, []list{{{"a", "equals", "x"}}}, list{{"b", "equals", "y"}}, `up{a="x",b="y"}`},
		"a matcher of the query is replaced":             {`up{a="old",b="1"}`, nil, list{{"a", "equals", "new"}}, `up{a="new",b="1"}`},
		"all matchers of a label are replaced":           {`up{a!="old",a=~".+"}`, nil, list{{"a", "equals", "new"}}, `up{a="new"}`},
		"in every selector":                              {`up{a="1"} + avg_over_time(up{a="2"}[5m]) / 1024`, nil, list{{"a", "equals", "3"}}, `up{a="3"} + avg_over_time(up{a="3"}[5m]) / 1024`},
		"equal labels of two scopes":                     {`up`, []list{{{"a", "equals", "x"}}, {{"a", "equals", "y"}}}, nil, `up{a=~"x|y"}`},
		"equal labels of one scope":                      {`up`, []list{{{"a", "equals", "x"}, {"a", "equals", "y"}, {"a", "equals", "z"}}}, nil, `up{a=~"x|y|z"}`},
		"values are no patterns when they are joined":    {`up`, []list{{{"a", "equals", "x.y"}}, {{"a", "regex-match", "z.*"}}}, nil, `up{a=~"x\\.y|z.*"}`},
		"scopes that exclude both do":                    {`up`, []list{{{"a", "not-equals", "x"}}, {{"a", "not-equals", "y"}}}, nil, `up{a!~"x|y"}`},
		"a scope that excludes beside one that does not": {`up`, []list{{{"a", "not-equals", "x"}}, {{"a", "regex-match", ".+"}}}, nil, `up{a!="x",a=~".+"}`},
		"a filter wins over a scope":                     {`up`, []list{{{"a", "equals", "x"}}}, list{{"a", "equals", "mine"}}, `up{a="mine"}`},
		"a filter wins over two scopes":                  {`up`, []list{{{"a", "equals", "x"}}, {{"a", "not-equals", "y"}}}, list{{"a", "equals", "mine"}}, `up{a="mine"}`},
		"of two filters the last":                        {`up`, nil, list{{"a", "equals", "x"}, {"a", "not-equals", "y"}}, `up{a!="y"}`},
		"one of several":                                 {`up`, []list{{{"a", "one-of", "4,5.6"}}}, nil, `up{a=~"4|5\\.6"}`},
		"none of several":                                {`up`, nil, list{{"a", "not-one-of", "4,5"}}, `up{a!~"4|5"}`},
		"one of a pattern":                               {`up`, nil, list{{"a", "one-of", ""}}, `up{a=~""}`},
		"a name in braces":                               {`{__name__="up"}`, nil, list{{"a", "equals", "x"}}, `{__name__="up",a="x"}`},
		"a label that needs quotes":                      {`up{"a.b"="x"}`, nil, list{{"a.b", "equals", "y"}}, `up{"a.b"="y"}`},
		"a macro and a filter":                           {`rate(up[$__interval])`, nil, list{{"a", "regex-match", "x.*"}}, `rate(up{a=~"x.*"}[1m])`},
		"all at once": {`sum(up{a="0"} + up) / 2`, []list{{{"b", "equals", "/"}}}, list{{"a", "equals", "x"}},
			`sum(up{a="x",b="/"} + up{a="x",b="/"}) / 2`},
	} {
		t.Run(name, func(t *testing.T) {
			saved := values{"expr": test.expr, "adhocFilters": savedFilters(test.adhoc)}
			var scopes []values
			for i, filters := range test.scopes {
				scopes = append(scopes, values{"name": fmt.Sprint(i), "filters": savedFilters(filters)})
			}
			saved["scopes"] = scopes
			require.Equal(t, test.want, executed(t, ds, saved))
		})
	}
}

func TestFilters_Invalid(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	many := func(n int, f filter) (filters []values) {
		for i := range n {
			f.key = fmt.Sprint(f.key[:1], i)
			filters = append(filters, f.saved())
		}
		return filters
	}
	times := strings.Repeat
	for name, test := range map[string]struct {
		saved values
		want  string
	}{
		"no label":              {values{"adhocFilters": []values{{"operator": "equals", "value": "x"}}}, "Filter: it names no label."},
		"an unknown operator":   {values{"adhocFilters": []values{{"key": "a", "operator": "like"}}}, "Filter: the operator like is not known."},
		"a broken pattern":      {values{"adhocFilters": many(1, filter{"a", "regex-match", "("})}, "error parsing regexp: missing closing )"},
		"too many filters":      {values{"adhocFilters": many(101, filter{"a", "equals", "x"})}, "Filter: there are 101, and the limit is 100."},
		"a query that is long":  {values{"expr": "up" + times(" ", 70_000)}, "PromQL: filters and scopes can't be used with this query: it has 70002 bytes, and the limit is 65536."},
		"a query that is deep":  {values{"expr": times("(", 101) + "up" + times(")", 101)}, "it is nested deeper than 100 levels."},
		"a query that is wide":  {values{"expr": "up" + times(" + up", 300)}, "it has more than 250 operators."},
		"a result that is long": {values{"expr": "up" + times(" + up", 200), "adhocFilters": many(1, filter{"a", "equals", times("x", 2000)})}, "Filter: with them the query has"},
	} {
		t.Run(name, func(t *testing.T) {
			saved := values{"expr": "up", "adhocFilters": many(1, filter{"a", "equals", "x"})}
			for field, value := range test.saved {
				saved[field] = value
			}
			got := runQueries(t, ds, dataQuery(t, "A", saved))["A"]
			require.ErrorContains(t, got.Error, test.want)
			require.Equal(t, backend.StatusBadRequest, got.Status)
		})
	}
}

// Expressions over the limits are sent unparsed, and their results are not cached.
func TestFilters_ParserLimits(t *testing.T) {
	for name, expr := range map[string]string{
		"long": "vector(1)" + strings.Repeat(" ", 70_000),
		"deep": strings.Repeat("(", 101) + "vector(1)" + strings.Repeat(")", 101),
		"wide": "vector(1)" + strings.Repeat(" + 1", 300),
	} {
		for _, kind := range []string{"range", "instant"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				p, address := newPlatform(t)
				ds := newDatasource(t, address, nil)
				for range 2 {
					require.Len(t, frames(t, ds, values{"expr": expr, kind: true}), 1)
				}
				require.Equal(t, 2, p.Counters().Count(platform.ServiceMetrics, "", 200))
			})
		}
	}
}

func names(n int) (queries []string) {
	for i := range n {
		queries = append(queries, fmt.Sprint("m", i))
	}
	return queries
}

func TestResources_SelectorLimits(t *testing.T) {
	p, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	for name, test := range map[string]struct {
		matches []string
		want    string
	}{
		"too many": {names(101), "the expression is one of 101, and the limit is 100"},
		"too long": {[]string{strings.Repeat("a", 70_000)}, "the expression has 70000 bytes, and the limit is 65536"},
	} {
		for _, path := range []string{"api/v1/labels", "api/v1/series", "api/v1/label/gpu/values"} {
			t.Run(name+" "+path, func(t *testing.T) {
				status, body := resource(t, ds, &backend.CallResourceRequest{Path: path, URL: path + "?" + url.Values{"match[]": test.matches}.Encode()})
				require.Equal(t, 400, status, body)
				require.Contains(t, body, test.want)
			})
		}
	}
	require.Empty(t, p.Counters().Requests)
}
