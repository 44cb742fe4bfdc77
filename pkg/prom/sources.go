package prom

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Names of sources.
const (
	archiveSource  = "archive"
	platformSource = "platform"
)

// Source is an endpoint that evaluated steps of a result, or should have. Times are Unix milliseconds.
type Source struct {
	Name string `json:"name"`
	// From and To are its first step and its last, and Step is their distance.
	From int64 `json:"from"`
	To   int64 `json:"to"`
	Step int64 `json:"step,omitempty"`
	// Failed reports that these steps are missing.
	Failed bool `json:"failed,omitempty"`
}

// origin says where a result is from.
type origin struct {
	cache results.Origin
	// sources are empty if the platform evaluated the query alone.
	sources []Source
}

func sourceOf(name string, q *parsedQuery) Source {
	if !q.Range {
		return Source{Name: name, From: q.At.UnixMilli(), To: q.At.UnixMilli()}
	}
	return Source{Name: name, From: q.Start.UnixMilli(), To: q.End.UnixMilli(), Step: q.Step.Milliseconds()}
}

// runRange runs a range query on the metrics endpoint, or on the archive, or on both: where the samples of its steps are.
//
// If one of both fails, so does the query, unless it has PartialResult. Errors are *transport.Error.
func (c *Client) runRange(ctx context.Context, q *parsedQuery) (*promjson.Result, origin, error) {
	if c.Archive == nil {
		return c.onMetricsEndpoint(ctx, q)
	}
	switch d := c.divide(q); {
	case d.archive == nil:
		return c.onMetricsEndpoint(ctx, q)
	case d.platform == nil:
		return c.onArchive(d, func(archive *Client) (*promjson.Result, results.Origin, error) {
			return archive.cachedRange(ctx, d.archive.matchingAllForms())
		})
	default:
		return c.onBoth(ctx, d)
	}
}

// runInstant runs an instant query on the metrics endpoint, or on the archive if the platform lacks samples that it needs.
func (c *Client) runInstant(ctx context.Context, q *parsedQuery) (*promjson.Result, origin, error) {
	if c.Archive != nil {
		if d := c.divideInstant(q); d.archive != nil {
			return c.onArchive(d, func(archive *Client) (*promjson.Result, results.Origin, error) {
				return archive.cachedInstant(ctx, q.matchingAllForms())
			})
		}
	}
	result, from, err := c.cachedInstant(ctx, q)
	return result, origin{cache: from}, err
}

func (c *Client) onMetricsEndpoint(ctx context.Context, q *parsedQuery) (*promjson.Result, origin, error) {
	result, from, err := c.cachedRange(ctx, q)
	return result, origin{cache: from}, err
}

// onArchive runs a whole query on the archive.
func (c *Client) onArchive(d division, run func(*Client) (*promjson.Result, results.Origin, error)) (*promjson.Result, origin, error) {
	result, from, err := run(c.Archive.Client)
	if err != nil {
		return nil, origin{}, err
	}
	c.Archive.dropLabels(result)
	if d.info != "" {
		result.Infos = append(slices.Clone(result.Infos), d.info)
	}
	return result, origin{from, []Source{sourceOf(archiveSource, d.archive)}}, nil
}

// part is the result of one side of a divided query.
type part struct {
	result *promjson.Result
	from   results.Origin
	err    error
}

func (c *Client) onBoth(ctx context.Context, d division) (*promjson.Result, origin, error) {
	var older, newer part
	err := inParallel(ctx,
		func(ctx context.Context) (err error) {
			older.result, older.from, err = c.Archive.Client.cachedRange(ctx, d.archive.matchingAllForms())
			return err
		}, &older.err,
		func(ctx context.Context) (err error) {
			newer.result, newer.from, err = c.cachedRange(ctx, d.platform)
			return err
		}, &newer.err)
	if err != nil {
		return nil, origin{}, c.explain(err)
	}
	if older.result != nil {
		c.Archive.dropLabels(older.result)
	}
	from := origin{sources: []Source{sourceOf(archiveSource, d.archive), sourceOf(platformSource, d.platform)}}
	seam := formatMinute(d.platform.Start)
	switch err := cmp.Or(newer.err, older.err); {
	case err == nil:
		return c.joinParts(d, older, newer, from)
	case !d.platform.PartialResult || older.result == nil && newer.result == nil:
		return nil, origin{}, err
	case older.result == nil:
		from.cache, from.sources[0].Failed = newer.from, true
		return withWarning(newer.result, "%s The steps before %s are missing.", older.err, seam), from, nil
	default:
		from.cache, from.sources[1].Failed = older.from, true
		return withWarning(older.result, "%s The steps from %s on are missing.", newer.err, seam), from, nil
	}
}

func (c *Client) joinParts(d division, older, newer part, from origin) (*promjson.Result, origin, error) {
	from.cache = results.Origin{
		FetchedSteps: older.from.FetchedSteps + newer.from.FetchedSteps,
		CachedSteps:  older.from.CachedSteps + newer.from.CachedSteps,
		AsOf:         min(older.from.AsOf, newer.from.AsOf),
	}
	result, common := join(older.result, newer.result)
	found, samples := result.Size()
	if err := c.Limits.decoderLimits(0).Check(found, samples, 0); err != nil {
		return nil, origin{}, c.explain(err)
	}
	result.Infos = append(result.Infos, fmt.Sprintf("The steps before %s are from the archive, and the others from the platform.", formatMinute(d.platform.Start)))
	if common == 0 {
		result.Infos = append(result.Infos, c.Archive.nothingInCommon(older.result, newer.result)...)
	}
	return result, from, nil
}

// isOutage reports an error that the query is not to blame for.
func isOutage(err error) bool {
	others := []error{transport.ErrBadRequest, transport.ErrTooLarge, transport.ErrCanceled, panics.Err}
	return !slices.ContainsFunc(others, func(kind error) bool { return errors.Is(err, kind) })
}

func withWarning(result *promjson.Result, format string, details ...any) *promjson.Result {
	result.Warnings = append(slices.Clone(result.Warnings), fmt.Sprintf(format, details...))
	return result
}

// inParallel runs two functions. An error of one that is no outage cancels the other, and is returned: there is no result then. A
// panic of one becomes its error.
func inParallel(ctx context.Context, a func(context.Context) error, aErr *error, b func(context.Context) error, bErr *error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	run := func(f func(context.Context) error, err *error) func() error {
		return func() error {
			func() {
				defer panics.Catch(ctx, "A request panicked", err)
				*err = f(ctx)
			}()
			if *err != nil && !isOutage(*err) {
				cancel(*err)
			}
			return nil
		}
	}
	both := panics.NewGroup(ctx)
	both.Go(run(a, aErr))
	both.Go(run(b, bErr))
	_ = both.Wait()
	if *aErr == nil && *bErr == nil {
		return nil
	}
	return context.Cause(ctx)
}

// nothingInCommon says why no series of the platform continues one of the archive.
func (a *Archive) nothingInCommon(older, newer *promjson.Result) []string {
	added, others := labelNames(older), labelNames(newer)
	if added == nil || others == nil {
		return nil // the time without samples is seen
	}
	for name := range others {
		delete(added, name)
	}
	if len(added) == 0 {
		return []string{"No series of the platform continues one of the archive: they have other labels."}
	}
	return []string{fmt.Sprintf("No series of the platform continues one of the archive, whose series have the labels %s besides. "+
		"If the archive added them, drop them in the data source's settings, section Archive.",
		strings.Join(slices.Sorted(maps.Keys(added)), ", "))}
}

// labelNames are the names of the labels of all series; nil without a series.
func labelNames(result *promjson.Result) map[string]bool {
	var names map[string]bool
	for labels := range result.Labels {
		if names == nil {
			names = map[string]bool{}
		}
		for name := range labels {
			names[name] = true
		}
	}
	return names
}

// dropLabels removes labels from the series of a result, whose frames are the caller's, but not their labels. Of series that
// become equal, the first stays.
func (a *Archive) dropLabels(result *promjson.Result) {
	if len(a.DropLabels) == 0 {
		return
	}
	rest := func(labels data.Labels) data.Labels {
		kept := maps.Clone(labels)
		for _, name := range a.DropLabels {
			delete(kept, name)
		}
		return kept
	}
	equal := 0
	if result.Matrix != nil {
		result.Matrix, equal = result.Matrix.WithLabels(func(s series.Series) data.Labels { return rest(s.Labels) })
	}
	seen := make(map[string]bool, len(result.Frames))
	result.Frames = slices.DeleteFunc(result.Frames, func(frame *data.Frame) bool {
		kept := rest(frame.Fields[1].Labels)
		for _, field := range frame.Fields {
			if field.Labels != nil {
				field.Labels = kept
			}
		}
		key := seriesKey(frame)
		if seen[key] {
			equal++
			return true
		}
		seen[key] = true
		return false
	})
	if equal > 0 {
		withWarning(result, "%d series of the archive differ from others only in the labels %s, which the settings drop. One of each is shown.",
			equal, strings.Join(a.DropLabels, ", "))
	}
}
