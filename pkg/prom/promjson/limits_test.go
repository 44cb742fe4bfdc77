package promjson_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// seriesOf is a response whose series have these numbers of samples.
func seriesOf(samples ...int) string {
	series := make([]string, len(samples))
	for i, n := range samples {
		values := make([]string, n)
		for j := range values {
			values[j] = fmt.Sprintf(`[%d,"%d"]`, 60*j, j)
		}
		series[i] = fmt.Sprintf(`{"metric":{"gpu":"%d"},"values":[%s]}`, i, strings.Join(values, ","))
	}
	return `{"status":"success","data":{"resultType":"matrix","result":[` + strings.Join(series, ",") + `]}}`
}

func TestLimits(t *testing.T) {
	for name, test := range map[string]struct {
		body   string
		limits promql.Limits
		over   string // the error; empty within the limits
	}{
		"no limits":                                      {body: seriesOf(5, 5, 5)},
		"as many series as are allowed":                  {body: seriesOf(5, 5, 5), limits: promql.Limits{Series: 3}},
		"as many samples as are allowed":                 {body: seriesOf(5, 5, 5), limits: promql.Limits{Samples: 15}},
		"a series without samples after the last sample": {body: seriesOf(5, 0), limits: promql.Limits{Samples: 5}},
		"one series too many":                            {seriesOf(5, 5, 5), promql.Limits{Series: 2}, "more than 2 series"},
		"one sample too many":                            {seriesOf(5, 5, 5), promql.Limits{Samples: 14}, "more than 14 points"},
		"all of one series too many":                     {seriesOf(20), promql.Limits{Samples: 5}, "more than 5 points"},
		"too many of both":                               {seriesOf(0, 5), promql.Limits{Series: 1, Samples: 1}, "more than 1 series"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := promjson.Decode(iotest.OneByteReader(strings.NewReader(test.body)), test.limits)
			if test.over == "" {
				require.NoError(t, err)
				want, err := promjson.Decode(strings.NewReader(test.body), promql.Limits{})
				require.NoError(t, err)
				require.Equal(t, want, got)
				return
			}
			require.Nil(t, got)
			require.ErrorContains(t, err, test.over)
		})
	}
}

// What follows is not read, of a response that may be far larger.
func TestLimits_EndReading(t *testing.T) {
	body := strings.NewReader(seriesOf(repeated(2000, 100)...))
	size := body.Len()
	_, err := promjson.Decode(body, promql.Limits{Series: 10})
	require.Error(t, err)
	require.Greater(t, body.Len(), size/2)
}

func TestLimits_Memory(t *testing.T) {
	body := seriesOf(repeated(2000, 100)...)
	limits := promql.Limits{Series: 10, Samples: 1000}
	decode := func() { _, _ = promjson.Decode(strings.NewReader(body), limits) }
	require.Less(t, testing.AllocsPerRun(10, decode), 2*2000.0, "no series is in memory")
}

func repeated(n, each int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = each
	}
	return all
}
