package prom

import (
	"context"
	"fmt"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/packed"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// QueryData runs one saved query and returns its frames.
//
// A range query returns frames of the type timeseries-multi, an instant query numeric-multi, and a query that is both returns
// first the former. The formats "table" and "heatmap" convert them. With alerting set the format is ignored, because alert rules
// and server-side expressions need these types.
// Native histograms are heatmap-cells in every format but "table", and with alerting set, as from Grafana's Prometheus data
// source. With the option "packed", time series are packed frames.
// There is at least one frame, whose meta has the executed query and the notices of the engine.
//
// Errors are *query.Error or *transport.Error.
func (c *Client) QueryData(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	q, err := parseQuery(saved, c.MinStep)
	if err != nil {
		return nil, err
	}
	q.PartialResult = !alerting
	if alerting {
		// The reducers of alert rules expect points at equal distances.
		q.Format, q.UntilEnd, q.Packed = formatTimeSeries, false, false
	}
	if q.NoCache {
		ctx = NoCache(ctx)
	}
	var frames data.Frames
	if q.Range {
		result, from, err := c.runRange(ctx, q)
		if err == nil {
			err = q.checkCells(result)
		}
		if err == nil && q.endsEarly() {
			result, err = c.addEndPoint(ctx, q, result)
		}
		if err != nil {
			return nil, err
		}
		frames = append(frames, q.frames(result, from)...)
	}
	if q.Instant {
		result, from, err := c.runInstant(ctx, q)
		if err == nil {
			err = q.checkCells(result)
		}
		if err != nil {
			return nil, err
		}
		frames = append(frames, q.frames(result, from)...)
	}
	return frames, nil
}

// frames makes the frames of a result in the format of the query.
func (q *parsedQuery) frames(result *promjson.Result, from origin) data.Frames {
	q.legend = parseLegend(q.LegendFormat)
	var frames data.Frames
	if m := result.Matrix; q.Packed && q.Format == formatTimeSeries && m != nil && len(m.Series) > 0 {
		frames = data.Frames{packed.Matrix(m, q.packedNames, q.timesConfig())}
	} else {
		frames = q.namedFrames(result)
	}
	if len(frames) == 0 {
		frames = data.Frames{data.NewFrame("")}
	}
	for _, frame := range frames {
		frame.RefID = q.RefID
		q.setMeta(frame, result.Type)
	}
	q.setQueryMeta(frames[0], from)
	addNotices(frames[0], data.NoticeSeverityWarning, result.Warnings)
	addNotices(frames[0], data.NoticeSeverityInfo, result.Infos)
	return frames
}

// namedFrames are the frames of a result with names and configs, converted to the format of the query.
func (q *parsedQuery) namedFrames(result *promjson.Result) data.Frames {
	frames := result.AllFrames()
	for _, frame := range frames {
		q.describe(frame)
	}
	switch samples, histograms := splitNativeHistograms(frames); q.Format {
	case formatTable:
		return append(asTable(samples, 1), asTable(histograms, 4)...)
	case formatHeatmap:
		return append(histograms, asHeatmap(samples)...)
	case formatTimeSeries:
		if q.Packed && result.Type == promjson.Matrix {
			return pack(frames)
		}
	}
	return frames
}

// timesConfig has the interval of points for panels.
func (q *parsedQuery) timesConfig() *data.FieldConfig {
	return &data.FieldConfig{Interval: float64(q.Step.Milliseconds())}
}

// packedNames are the names that describe gives a series.
func (q *parsedQuery) packedNames(labels data.Labels) packed.Names {
	names := packed.Names{Name: series.ValueName}
	if name := q.seriesLegend(labels); name != "" {
		names.DisplayName = &name
	}
	if name, ok := labels[metricName]; ok {
		names.Name = name
	}
	return names
}

// describe sets the display name of a series by the legend, and the interval of its points for panels.
func (q *parsedQuery) describe(frame *data.Frame) {
	times, value := frame.Fields[0], frame.Fields[1]
	times.Config = q.timesConfig()
	if name := q.seriesLegend(value.Labels); name != "" {
		value.Config = &data.FieldConfig{DisplayNameFromDS: name}
	}
	// The heatmap panel identifies the fields of a native histogram by their names.
	if name, ok := value.Labels[metricName]; ok && !isNativeHistogram(frame) {
		value.Name = name
	}
}

func (q *parsedQuery) setMeta(frame *data.Frame, resultType string) {
	if frame.Meta == nil {
		frame.Meta = &data.FrameMeta{}
	}
	switch {
	case frame.Meta.Type == packed.FrameType:
	case frame.Meta.Type != "":
		return
	// A text is no number. Grafana's Prometheus data source has this type for it, too.
	case resultType == promjson.Matrix || resultType == promjson.String:
		frame.Meta.Type = data.FrameTypeTimeSeriesMulti
	default:
		frame.Meta.Type = data.FrameTypeNumericMulti
	}
	frame.Meta.TypeVersion = data.FrameTypeVersion{0, 1}
	// Explore chooses between graph and table by the result type.
	custom, _ := frame.Meta.Custom.(Custom)
	custom.ResultType = resultType
	frame.Meta.Custom = custom
}

// Custom is the custom meta of a frame.
type Custom struct {
	// ResultType is Prometheus' resultType; empty for tables and heatmaps.
	ResultType string `json:"resultType,omitempty"`
	// Cache, on the first frame of a result, says how much of the result is from the cache.
	Cache *results.Origin `json:"cache,omitempty"`
	// Sources, on the first frame of a result that the archive has a part in, says which steps are from where.
	Sources []Source `json:"sources,omitempty"`
	// CalculatedMinStep, on the first frame of a result, is the step in milliseconds. Grafana's Prometheus front end merges
	// frames by it when it queries only the newest part of a range.
	CalculatedMinStep int64 `json:"calculatedMinStep,omitempty"`
}

// setQueryMeta sets the meta of the whole result. Only its first frame has it, because queries can be long and frames many.
func (q *parsedQuery) setQueryMeta(first *data.Frame, from origin) {
	first.Meta.ExecutedQueryString = fmt.Sprintf("Expr: %s\nStep: %s", q.Expr, formatDuration(q.Step))
	custom, _ := first.Meta.Custom.(Custom)
	custom.Cache, custom.CalculatedMinStep, custom.Sources = &from.cache, q.Step.Milliseconds(), from.sources
	first.Meta.Custom = custom
}

// addNotices adds notices in alphabetical order, because the order of the engine varies.
func addNotices(frame *data.Frame, severity data.NoticeSeverity, texts []string) {
	for _, text := range slices.Sorted(slices.Values(texts)) {
		frame.AppendNotices(data.Notice{Severity: severity, Text: text})
	}
}
