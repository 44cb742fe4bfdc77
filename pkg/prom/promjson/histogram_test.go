package promjson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/budgettest"
)

// histogramsOf is a series with a number of native histograms, and of buckets of each.
func histogramsOf(histograms, buckets int, more string) string {
	list := make([]string, buckets)
	for i := range list {
		list[i] = fmt.Sprintf(`[0,"%d","%d","3"]`, i, i+1)
	}
	all := make([]string, histograms)
	for i := range all {
		all[i] = fmt.Sprintf(`[%d,{"count":"9","sum":"1","buckets":[%s]}]`, 60*i, strings.Join(list, ","))
	}
	return `{"metric":{},"histograms":[` + strings.Join(all, ",") + `]` + more + `}`
}

func TestLimits_Buckets(t *testing.T) {
	for name, test := range map[string]struct {
		series string
		limits promql.Limits
		over   bool
	}{
		"as many buckets as are allowed":         {series: histogramsOf(3, 5, ""), limits: promql.Limits{Samples: 30, Series: 1}},
		"one bucket too many":                    {histogramsOf(3, 5, ""), promql.Limits{Samples: 29}, true},
		"histograms without buckets":             {histogramsOf(3, 0, ""), promql.Limits{Samples: 14}, true},
		"buckets and samples":                    {histogramsOf(3, 5, `,"values":[[1,"1"],[2,"2"]]`), promql.Limits{Samples: 31}, true},
		"buckets after too many samples":         {`{"metric":{},"values":[[1,"1"],[2,"2"]]},` + histogramsOf(2, 2, ""), promql.Limits{Samples: 1}, true},
		"samples after too many buckets":         {histogramsOf(2, 2, "") + `,{"metric":{},"values":[[1,"1"],[2,"2"]]}`, promql.Limits{Samples: 1}, true},
		"more series than are allowed":           {histogramsOf(2, 2, "") + "," + histogramsOf(2, 2, ""), promql.Limits{Series: 1}, true},
		"samples and buckets, together in limit": {series: histogramsOf(3, 5, `,"values":[[1,"1"],[2,"2"]]`), limits: promql.Limits{Samples: 32}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := promjson.Decode(strings.NewReader(matrix(test.series)), test.limits)
			if !test.over {
				require.NoError(t, err)
				require.NotEmpty(t, got.Matrix.Frames(plain, nil))
				return
			}
			require.ErrorContains(t, err, map[bool]string{true: "series, which is the limit", false: "points, which is the limit"}[test.limits.Series > 0])
		})
	}
}

func TestLimits_MemoryOfBuckets(t *testing.T) {
	body := matrix(histogramsOf(500, 200, ""))
	bytes := func(limits promql.Limits) uint64 {
		_, allocated := budgettest.Cost(t, func() { _, _ = promjson.Decode(strings.NewReader(body), limits) })
		return allocated
	}
	require.Less(t, bytes(promql.Limits{Samples: 1000})*10, bytes(promql.Limits{}))
}
