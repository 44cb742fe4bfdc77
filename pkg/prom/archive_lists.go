package prom

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// lists runs a lookup on the platform, and on the archive if the range of the lookup starts before the edge. Merge merges the
// data of both responses. If one of both fails, the list of the other has a warning.
func (c *Client) lists(ctx context.Context, given url.Values, run func(context.Context, *Client) (*Envelope, error), merge func(older, newer json.RawMessage, params url.Values) (any, error)) (*Envelope, error) {
	params, err := checked(given, lookupParams)
	if err != nil || c.Archive == nil || !c.startsBeforeEdge(params) {
		return run(ctx, c)
	}
	var older, newer *Envelope
	var olderErr, newerErr error
	err = inParallel(ctx,
		func(ctx context.Context) (err error) { older, err = run(ctx, c.Archive.Client); return err }, &olderErr,
		func(ctx context.Context) (err error) { newer, err = run(ctx, c); return err }, &newerErr)
	switch {
	case err != nil:
		return nil, err
	case newerErr != nil && olderErr != nil:
		return nil, newerErr
	case newerErr != nil:
		newer = partialList(newerErr)
	case olderErr != nil:
		older = partialList(olderErr)
	}
	merged, err := merge(older.Data, newer.Data, params)
	if err != nil {
		return nil, c.decodeError(0, err)
	}
	envelope, err := success(merged, nil)
	if err != nil {
		return nil, err
	}
	envelope.Warnings = union(older.Warnings, newer.Warnings)
	envelope.Infos = union(older.Infos, newer.Infos)
	envelope.IsPartial = older.IsPartial || newer.IsPartial
	return envelope, nil
}

func (c *Client) startsBeforeEdge(params url.Values) bool {
	start, err := time.Parse(time.RFC3339Nano, params.Get("start"))
	return err == nil && start.Before(c.edge())
}

// partialList is the empty list of a source that failed.
func partialList(err error) *Envelope {
	return &Envelope{Data: json.RawMessage("[]"), Warnings: []string{fmt.Sprintf("%s The list is incomplete.", err)}}
}

// drops reports whether a label of the archive is dropped.
func (a *Archive) drops(label string) bool { return a != nil && slices.Contains(a.DropLabels, label) }

// mergeNames merges label names, without those that are dropped.
func (a *Archive) mergeNames(older, newer json.RawMessage, params url.Values) (any, error) {
	var archived, names []string
	if err := unmarshalBoth(older, &archived, newer, &names); err != nil {
		return nil, err
	}
	archived = slices.DeleteFunc(archived, func(name string) bool { return a.drops(name) })
	return limited(union(archived, names), params), nil
}

func mergeValues(older, newer json.RawMessage, params url.Values) (any, error) {
	var archived, values []string
	if err := unmarshalBoth(older, &archived, newer, &values); err != nil {
		return nil, err
	}
	return limited(union(archived, values), params), nil
}

// mergeSeries merges label sets, without the labels that are dropped.
func (a *Archive) mergeSeries(older, newer json.RawMessage, params url.Values) (any, error) {
	var archived, stored []map[string]string
	if err := unmarshalBoth(older, &archived, newer, &stored); err != nil {
		return nil, err
	}
	bySeries := map[string]map[string]string{}
	for _, labels := range stored {
		bySeries[series.Key(labels)] = labels
	}
	for _, labels := range archived {
		for _, name := range a.DropLabels {
			delete(labels, name)
		}
		bySeries[series.Key(labels)] = labels
	}
	merged := make([]map[string]string, 0, len(bySeries))
	for _, key := range slices.Sorted(maps.Keys(bySeries)) {
		merged = append(merged, bySeries[key])
	}
	return limited(merged, params), nil
}

func unmarshalBoth(older json.RawMessage, olderTo any, newer json.RawMessage, newerTo any) error {
	if err := json.Unmarshal(older, olderTo); err != nil {
		return err
	}
	return json.Unmarshal(newer, newerTo)
}
