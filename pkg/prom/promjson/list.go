package promjson

import (
	"io"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// DecodeList decodes the response to a request for label names, label values, series or metadata. It holds at most so many elements
// in memory; most of 0 is no limit. Some servers encode an empty list as null.
//
// Errors are [ErrMalformed], a *[Failure], a *[promql.LimitError] with the number of elements, or the error of the reader.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#querying-metadata
func DecodeList(r io.Reader, kind promql.ListKind, most int) (*promql.List, error) {
	d := newDecoder(r, promql.Limits{Series: most})
	defer d.release()
	list := &promql.List{}
	given := false
	head, err := d.response(func() error {
		given = true
		if s := &d.scanner; s.peek() == 'n' {
			return s.literal("null")
		}
		return d.list(kind, list)
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

func (d *decoder) list(kind promql.ListKind, list *promql.List) error {
	s := &d.scanner
	switch kind {
	case promql.SeriesLabels:
		return s.list(func() error {
			labels := data.Labels{}
			if err := d.labels(labels); err != nil {
				return err
			}
			if d.counted() {
				list.Series = append(list.Series, labels)
			}
			return nil
		})
	case promql.MetricMetadata:
		list.Metadata = map[string][]promql.Metadata{}
		return s.object(func(metric []byte) error {
			name := string(metric)
			described, err := d.metadata()
			if err == nil && d.counted() {
				list.Metadata[name] = described
			}
			return err
		})
	}
	return s.list(func() error {
		name, err := s.string()
		if err == nil && d.counted() {
			list.Names = append(list.Names, string(name))
		}
		return err
	})
}

// counted counts an element of a list, and reports whether it is within the limit.
func (d *decoder) counted() bool {
	d.tally.add(0, 0, 0)
	return d.tally.err() == nil
}

// metadata decodes [{"type": …, "help": …, "unit": …}].
func (d *decoder) metadata() ([]promql.Metadata, error) {
	s := &d.scanner
	var all []promql.Metadata
	err := s.list(func() error {
		var m promql.Metadata
		err := s.object(func(key []byte) (err error) {
			switch string(key) {
			case "type":
				m.Type, err = s.text()
			case "help":
				m.Help, err = s.text()
			case "unit":
				m.Unit, err = s.text()
			default:
				err = s.skip()
			}
			return err
		})
		all = append(all, m)
		return err
	})
	return all, err
}
