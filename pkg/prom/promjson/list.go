package promjson

import (
	"io"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// DecodeList decodes the response to a request for label names, label values or series. It may have at most so many
// elements; most of 0 is no limit. Series are without the labels that are dropped. Some servers encode an empty list as null.
//
// Errors are [ErrMalformed], [ErrTooLong], a [Failure], that of [promql.Limits.Check], or the error of the reader.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#querying-metadata
func DecodeList(r io.Reader, ofSeries bool, most int, dropped ...string) (*promql.List, error) {
	d := newDecoder(r, promql.Limits{Entries: most}, dropped)
	list := &promql.List{}
	given := false
	err := d.response(func() {
		given = true
		if !d.scanner.null() {
			d.list(ofSeries, list)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case !given:
		return nil, ErrMalformed
	}
	list.Warnings, list.Infos = d.warnings, d.infos
	return list, nil
}

func (d *decoder) list(ofSeries bool, list *promql.List) {
	s := &d.scanner
	for more := s.open('[', ']'); more; more = s.next(']') {
		if d.begin(); ofSeries {
			list.Series = append(list.Series, d.labels())
		} else {
			list.Names = append(list.Names, string(s.string()))
		}
	}
}
