package promjson

import (
	"errors"
	"strconv"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// histogramsOnce decodes the native histograms of a series. It returns an error if the series has histograms already.
func (d *decoder) histogramsOnce(found *structure, as structure) error {
	if *found != noStructure {
		return ErrMalformed
	}
	*found = as
	d.histograms = &series.Histograms{}
	if as == points {
		return d.histogram()
	}
	return d.scanner.list(d.histogram)
}

// histogram decodes [1435781430.781,{"count":"9","sum":"1.5","buckets":[…]}].
func (d *decoder) histogram() error {
	s := &d.scanner
	if err := s.expect('['); err != nil {
		return err
	}
	at, err := s.timestamp()
	if err != nil {
		return err
	}
	if err := s.expect(','); err != nil {
		return err
	}
	d.histograms.Start(at)
	var seen members
	var count, sum float64
	err = s.object(func(key []byte) error {
		var twice, err error
		switch string(key) {
		case "count":
			twice = seen.once(memberCount)
			count, err = s.float()
		case "sum":
			twice = seen.once(memberSum)
			sum, err = s.float()
		case "buckets":
			twice = seen.once(memberBuckets)
			err = s.list(d.bucket)
		default:
			err = s.skip()
		}
		return errors.Join(twice, err)
	})
	if err != nil {
		return err
	}
	d.histograms.SetSums(count, sum)
	return s.expect(']')
}

// The members of a histogram.
const (
	memberCount members = 1 << iota
	memberSum
	memberBuckets
)

// bucket decodes [0,"0.5","1","7"]: which of the bounds are inclusive, the bounds, and the number of observations.
func (d *decoder) bucket() error {
	s := &d.scanner
	if err := s.expect('['); err != nil {
		return err
	}
	number, err := s.number()
	if err != nil {
		return err
	}
	layout, err := strconv.ParseInt(string(number), 10, 8)
	if err != nil {
		return ErrMalformed
	}
	var values [3]float64
	for i := range values {
		if err := s.expect(','); err != nil {
			return err
		}
		if values[i], err = s.float(); err != nil {
			return err
		}
	}
	if err := s.expect(']'); err != nil {
		return err
	}
	if len(d.histograms.Layout) >= d.tally.cells {
		d.tally.skippedCells++
		return nil
	}
	d.histograms.AddBucket(int8(layout), values[0], values[1], values[2])
	return nil
}
