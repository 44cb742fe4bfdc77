package plugin_test

import (
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

// Steps and rate intervals are those of Grafana's Prometheus data source with a scrape interval of 15 s.
func TestInterval_AsGrafana(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, values{"timeInterval": "15s"})
	slower := newDatasource(t, address, values{"timeInterval": "30s"})
	for name, test := range map[string]struct {
		saved  values
		span   time.Duration
		points int64
		panel  time.Duration
		slower bool
		step   string
		rate   string
	}{
		"nothing set, short":                  {values{}, time.Hour, 0, 0, false, "15s", "1m"},
		"nothing set, half a day":             {values{}, 12 * time.Hour, 0, 0, false, "30s", "1m"},
		"nothing set, two days":               {values{}, 48 * time.Hour, 0, 2 * time.Minute, false, "120s", "2m15s"},
		"as many points as the panel draws":   {values{}, 24 * time.Hour, 100, 0, false, "900s", "1m"},
		"at most 11,000 points":               {values{"interval": "1s"}, 24 * time.Hour, 100_000, 0, false, "10s", "4s"},
		"a minimum in seconds without a unit": {values{"interval": "120"}, time.Hour, 1000, 0, false, "120s", "8m"},
		"a panel's below the scrape interval": {values{}, time.Hour, 1000, 15 * time.Second, true, "30s", "2m"},
		"an exact interval below the minimum": {values{"interval": "100s"}, 95 * 100 * time.Second, 100, time.Minute, false, "100s", "6m40s"},
		"a minimum of 0s is unset":            {values{"interval": "0s"}, time.Hour, 0, 0, false, "15s", "1m"},
		"a minimum of 0 is unset":             {values{"interval": "0"}, time.Hour, 0, 0, false, "15s", "1m"},
		"a minimum in angle brackets":         {values{"interval": "<10m>"}, time.Hour, 0, 0, false, "600s", "40m"},
		"a minimum with a sign":               {values{"interval": ">10m"}, time.Hour, 0, 0, false, "600s", "40m"},
		"a minimum above the panel's":         {values{"interval": "150s"}, time.Hour, 12384, 100 * time.Second, true, "150s", "10m"},
		"a minimum of the panel's":            {values{"interval": "120s"}, time.Hour, 12384, 2 * time.Minute, true, "120s", "8m"},
		"the scrape interval":                 {values{"interval": "30s"}, time.Hour, 12384, 30 * time.Second, true, "30s", "2m"},
		"the rate interval, short":            {values{"interval": "$__rate_interval"}, time.Hour, 12384, 30 * time.Second, true, "120s", "2m"},
		"the rate interval, long":             {values{"interval": "${__rate_interval}"}, 48 * time.Hour, 12384, 2 * time.Minute, true, "150s", "2m30s"},
		"the interval":                        {values{"interval": "$__interval"}, 48 * time.Hour, 12384, 2 * time.Minute, false, "120s", "8m"},
		"the interval in braces":              {values{"interval": "${__interval}"}, 48 * time.Hour, 12384, 2 * time.Minute, false, "120s", "8m"},
		"the interval in ms":                  {values{"interval": "$__interval_ms"}, 48 * time.Hour, 12384, 2 * time.Minute, false, "120s", "8m"},
		"the interval in ms and braces":       {values{"interval": "${__interval_ms}"}, 48 * time.Hour, 12384, 2 * time.Minute, false, "120s", "8m"},
		"the rate interval in ms":             {values{"interval": "$__rate_interval_ms"}, 48 * time.Hour, 12384, 2 * time.Minute, false, "120s", "2m15s"},
		"the rate interval in ms and braces":  {values{"interval": "${__rate_interval_ms}"}, 48 * time.Hour, 12384, 2 * time.Minute, false, "120s", "2m15s"},
	} {
		t.Run(name, func(t *testing.T) {
			test.saved["expr"] = `label_replace(vector(1), "rate", "$__rate_interval ${__rate_interval}", "", "")`
			test.saved["intervalMs"] = test.panel.Milliseconds()
			q := dataQuery(t, "A", test.saved)
			q.TimeRange.From, q.MaxDataPoints, q.Interval = noon.Add(-test.span), test.points, test.panel
			chosen := ds
			if test.slower {
				chosen = slower
			}
			response := runQueries(t, chosen, q)["A"]
			require.NoError(t, response.Error)
			require.Equal(t, test.rate+" "+test.rate, response.Frames[0].Fields[1].Labels["rate"])
			require.Contains(t, response.Frames[0].Meta.ExecutedQueryString, "\nStep: "+test.step)
		})
	}
}

func TestInterval_Limits(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	for name, test := range map[string]struct {
		saved values
		want  string
	}{
		"a negative minimum":     {values{"interval": "-1m"}, "Min step: it must be longer than 0."},
		"a minimum of eons":      {values{"interval": "20y"}, `Min step: "20y" is not a duration.`},
		"a minimum of 1e300 s":   {values{"interval": "1e300"}, `Min step: "1e300" is not a duration.`},
		"a minimum of no number": {values{"interval": "NaN"}, `Min step: "NaN" is not a duration.`},
	} {
		t.Run(name, func(t *testing.T) {
			test.saved["expr"] = "up"
			got := runQueries(t, ds, dataQuery(t, "A", test.saved))["A"]
			require.ErrorContains(t, got.Error, test.want)
			require.Equal(t, backend.StatusBadRequest, got.Status)
		})
	}
	require.Len(t, frames(t, ds, values{"expr": "vector(1)", "intervalMs": 1e300}), 1)
}
