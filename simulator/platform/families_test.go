package platform_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// names are the names of all series.
func (c *client) names() []string {
	c.t.Helper()
	var all []string
	for _, s := range c.at(now, `count by (__name__) ({__name__=~".+"})`).Data.Result {
		all = append(all, s.Metric["__name__"])
	}
	return all
}

func TestSamples_OnTheInterval(t *testing.T) {
	c := start(t, platform.Config{Nodes: 4, GPUsPerNode: 2})
	for _, name := range c.names() {
		interval := 60
		switch {
		case strings.HasPrefix(name, "vendor_elb_"):
			interval = 30
		case strings.HasPrefix(name, "vendor_ib_"), strings.HasPrefix(name, "vendor_sdisk_"):
			interval = 300
		}
		for _, s := range c.at(now, `{__name__="`+name+`"}[1h]`).Data.Result {
			for i, p := range s.Values {
				if int(p.time)%interval != 0 || (i > 0 && p.time-s.Values[i-1].time != float64(interval)) {
					t.Fatalf("sample %d of %v is at %f", i, s.Metric, p.time)
				}
			}
			if last := s.Values[len(s.Values)-1].time; last > float64(now.Unix()) {
				t.Fatalf("%v has a sample of the future", s.Metric)
			}
		}
	}
}

// counter matches the names of counters; those of totals that are gauges are none.
var counter = regexp.MustCompile(`(?i)_(total|bucket|sum|count|violation|consumption|rows|counter|hours|packets|new_flows|tx_wait|downed|recovery|discard)$|^vendor_(ib_port_(packets|error)|elb_bytes)_`)

func TestSamples_CountersNeverFall(t *testing.T) {
	c := start(t, platform.Config{Nodes: 1, GPUsPerNode: 2})
	checked := 0
	for _, name := range c.names() {
		if counter.MatchString(name) && !strings.HasSuffix(name, "_bytes_total") && !strings.HasSuffix(name, "_bw_bytes_sum") {
			checked++
			c.none(now, `resets(`+name+`[24h]) > 0`)
		}
	}
	if checked < 40 {
		t.Errorf("only %d counters", checked)
	}
}
