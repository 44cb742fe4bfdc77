package promclient

import (
	"context"
	"fmt"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
)

// QueryData answers one saved query with frames.
//
// A range query gives timeseries-multi, an instant query numeric-multi; both at once give first the one, then the other.
// With plain set the query's format is left aside and these are always the types, as alert rules and server-side
// expressions need them; otherwise the formats "table" and "heatmap" reshape them.
// Native histograms are heatmap-cells in every format but "table", and with plain set, as they are from Grafana's Prometheus
// data source.
// Every answer has at least one frame, so that its meta can say what was executed and what the engine has to remark.
//
// Errors are *query.Error or *transport.Error.
func (c *Client) QueryData(ctx context.Context, saved backend.DataQuery, plain bool) (data.Frames, error) {
	q, err := parseQuery(saved, c.MinStep)
	if err != nil {
		return nil, err
	}
	if plain {
		// An alert rule reduces points that are equally far apart.
		q.Format, q.UntilEnd = FormatTimeSeries, false
	}
	if q.NoCache {
		ctx = NoCache(ctx)
	}
	var frames data.Frames
	if q.Range {
		result, origin, err := c.cachedRange(ctx, q)
		if err == nil {
			err = q.fits(result)
		}
		if err == nil && q.endsEarly() {
			err = c.addNewest(ctx, q, result)
		}
		if err != nil {
			return nil, err
		}
		frames = append(frames, q.frames(result, origin)...)
	}
	if q.Instant {
		result, origin, err := c.cachedInstant(ctx, q)
		if err == nil {
			err = q.fits(result)
		}
		if err != nil {
			return nil, err
		}
		frames = append(frames, q.frames(result, origin)...)
	}
	return frames, nil
}

// frames names, describes and shapes what was decoded.
func (q *Query) frames(result *promjson.Result, origin rangecache.Origin) data.Frames {
	q.legend = parseLegend(q.LegendFormat)
	for _, frame := range result.Frames {
		q.describe(frame)
	}
	frames := result.Frames
	switch samples, histograms := withoutNativeHistograms(frames); q.Format {
	case FormatTable:
		frames = append(asTable(samples, 1), asTable(histograms, 4)...)
	case FormatHeatmap:
		frames = append(histograms, asHeatmap(samples)...)
	}
	if len(frames) == 0 {
		frames = data.Frames{data.NewFrame("")}
	}
	for _, frame := range frames {
		frame.RefID = q.RefID
		q.setMeta(frame, result.Type)
	}
	q.setAnswerMeta(frames[0], origin)
	addNotices(frames[0], data.NoticeSeverityWarning, result.Warnings)
	addNotices(frames[0], data.NoticeSeverityInfo, result.Infos)
	return frames
}

// describe gives a series its name, as the legend says, and tells panels the distance of its points.
func (q *Query) describe(frame *data.Frame) {
	times, value := frame.Fields[0], frame.Fields[1]
	times.Config = &data.FieldConfig{Interval: float64(q.Step.Milliseconds())}
	if name := q.seriesLegend(value.Labels); name != "" {
		value.Config = &data.FieldConfig{DisplayNameFromDS: name}
	}
	// The heatmap panel finds the fields of a native histogram by their names.
	if name, ok := value.Labels[metricName]; ok && !isNativeHistogram(frame) {
		value.Name = name
	}
}

func (q *Query) setMeta(frame *data.Frame, resultType string) {
	if frame.Meta == nil {
		frame.Meta = &data.FrameMeta{}
	}
	if frame.Meta.Type != "" {
		return
	}
	frame.Meta.Type = data.FrameTypeNumericMulti
	if resultType == promjson.Matrix {
		frame.Meta.Type = data.FrameTypeTimeSeriesMulti
	}
	frame.Meta.TypeVersion = data.FrameTypeVersion{0, 1}
	// Grafana's Prometheus front end reads the result type to choose between graph and table in Explore.
	frame.Meta.Custom = Custom{ResultType: resultType}
}

// Custom is what the meta of a frame tells beside what Grafana's data plane knows.
type Custom struct {
	// ResultType is Prometheus' name for the kind of answer; empty for tables and heatmaps.
	ResultType string `json:"resultType,omitempty"`
	// Cache tells, on the first frame of an answer, what was asked of the platform and what came from the cache.
	Cache *rangecache.Origin `json:"cache,omitempty"`
	// CalculatedMinStep is the step in milliseconds, on the first frame of an answer. Grafana's Prometheus front end merges
	// frames by it when it asks for the newest part of a range alone.
	CalculatedMinStep int64 `json:"calculatedMinStep,omitempty"`
}

// setAnswerMeta tells, on an answer's first frame alone, what holds for all of it: a query is as long as it is, and frames are
// many.
func (q *Query) setAnswerMeta(first *data.Frame, origin rangecache.Origin) {
	first.Meta.ExecutedQueryString = fmt.Sprintf("Expr: %s\nStep: %s", q.Expr, formatDuration(q.Step))
	custom, _ := first.Meta.Custom.(Custom)
	custom.Cache, custom.CalculatedMinStep = &origin, q.Step.Milliseconds()
	first.Meta.Custom = custom
}

// addNotices adds texts in an order of their own: the engine's is another one each time.
func addNotices(frame *data.Frame, severity data.NoticeSeverity, texts []string) {
	for _, text := range slices.Sorted(slices.Values(texts)) {
		frame.AppendNotices(data.Notice{Severity: severity, Text: text})
	}
}
