//go:build engines

package engines

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// api is a public client of the engine, without the plugin and the simulator.
func (e *engine) api(t *testing.T) promv1.API {
	t.Helper()
	return newAPI(t, api.Config{Address: e.address.String(), Client: direct})
}

// apiOf is the same client of the resources of a data source.
func apiOf(t *testing.T, ds *plugin.Datasource) promv1.API {
	t.Helper()
	return newAPI(t, api.Config{Address: "http://grafana.invalid", RoundTripper: datasource.Resources{Datasource: ds}})
}

func newAPI(t *testing.T, config api.Config) promv1.API {
	t.Helper()
	client, err := api.NewClient(config)
	require.NoError(t, err)
	return promv1.NewAPI(client)
}

// points are samples by series: by the labels, or for a native histogram's bucket by its labels, bounds and layout.
type points map[string][]point

type point struct {
	ms   int64
	bits uint64
}

func (p point) same(other point, rounding float64) bool {
	if p == other || p.ms != other.ms {
		return p == other
	}
	a, b := math.Float64frombits(p.bits), math.Float64frombits(other.bits)
	return math.Abs(a-b) <= rounding*math.Abs(a)
}

func (p point) String() string {
	return fmt.Sprintf("%v at %s", math.Float64frombits(p.bits), time.UnixMilli(p.ms).UTC().Format("15:04:05.999"))
}

func (p points) add(series string, ms int64, value float64) {
	p[series] = append(p[series], point{ms, math.Float64bits(value)})
}

// floatsIn are the samples of a result other than native histograms. A scalar is a series without labels.
func floatsIn(result model.Value) points {
	all := points{}
	switch result := result.(type) {
	case model.Matrix:
		for _, s := range result {
			key := seriesKey(valued(s.Metric))
			for _, p := range s.Values {
				all.add(key, int64(p.Timestamp), float64(p.Value))
			}
		}
	case model.Vector:
		for _, s := range result {
			if s.Histogram == nil {
				all.add(seriesKey(valued(s.Metric)), int64(s.Timestamp), float64(s.Value))
			}
		}
	case *model.Scalar:
		all.add("", int64(result.Timestamp), float64(result.Value))
	}
	return all
}

// bucketsIn are the buckets of the native histograms of a result.
func bucketsIn(result model.Value) points {
	all := points{}
	add := func(metric model.Metric, at model.Time, h *model.SampleHistogram) {
		key := seriesKey(metric)
		for _, b := range h.Buckets {
			all.add(fmt.Sprintf("%s %v to %v layout %d", key, b.Lower, b.Upper, b.Boundaries), int64(at), float64(b.Count))
		}
	}
	switch result := result.(type) {
	case model.Matrix:
		for _, s := range result {
			for _, h := range s.Histograms {
				add(s.Metric, h.Timestamp, h.Histogram)
			}
		}
	case model.Vector:
		for _, s := range result {
			if s.Histogram != nil {
				add(s.Metric, s.Timestamp, s.Histogram)
			}
		}
	}
	return all
}

// valued are the labels with a value. One without is none, and VictoriaMetrics' label_replace leaves such labels.
func valued(metric model.Metric) model.Metric {
	labels := maps.Clone(metric)
	maps.DeleteFunc(labels, func(_ model.LabelName, value model.LabelValue) bool { return value == "" })
	return labels
}

func seriesKey[Name, Value ~string](labels map[Name]Value) string {
	pairs := make([]string, 0, len(labels))
	for name, value := range labels {
		pairs = append(pairs, strconv.Quote(string(name))+"="+strconv.Quote(string(value)))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}

func unix(at time.Time) string {
	return strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', -1, 64)
}
