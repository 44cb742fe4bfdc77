package promjson

import (
	"io"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// DecodeList decodes the response to a request for label names, label values or series. It holds at most so many elements
// in memory; most of 0 is no limit. Some servers encode an empty list as null.
//
// Errors are [ErrMalformed], [ErrTooLong], a *[Failure], a *[promql.LimitError] with the number of elements, or the error of the reader.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#querying-metadata
func DecodeList(r io.Reader, kind promql.ListKind, most int) (*promql.List, error) {
	d := newDecoder(r, promql.Limits{Series: most})
	defer d.release()
	list := &promql.List{}
	given := false
	head, err := d.response(func() {
		given = true
		if !d.scanner.null() {
			d.list(kind, list)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case !given:
		return nil, ErrMalformed
	}
	if err := d.tally.err(); err != nil {
		return nil, err
	}
	list.Warnings, list.Infos, list.Partial = head.warnings, head.infos, head.partial
	return list, nil
}

func (d *decoder) list(kind promql.ListKind, list *promql.List) {
	s := &d.scanner
	for more := s.open('[', ']'); more; more = s.next(']') {
		if kind == promql.SeriesLabels {
			if labels := d.labels(); d.counted() {
				list.Series = append(list.Series, labels)
			}
		} else if name := s.string(); d.counted() {
			list.Names = append(list.Names, string(name))
		}
	}
}

// counted counts an element of a list, and reports whether it is within the limit.
func (d *decoder) counted() bool {
	d.tally.add(0, 0)
	return d.tally.err() == nil
}
