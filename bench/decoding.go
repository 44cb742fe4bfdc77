package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/reference"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// decoding compares the decoder with the usual one, on bodies in memory.
func decoding(_ context.Context, o options, r *report.Report) error {
	throughput := r.Group("Decoding an answer, compared with a jsoniter decoder")
	for _, s := range shapes {
		recorded, err := s.record()
		if err != nil {
			return err
		}
		if err := sameFrames(recorded.plain); err != nil {
			return err
		}
		ours, theirs, err := measure(o.rounds, func() error {
			_, err := promjson.Decode(bytes.NewReader(recorded.plain), promjson.Limits{})
			return err
		}, func() error {
			_, err := reference.Decode(bytes.NewReader(recorded.plain))
			return err
		})
		if err != nil {
			return err
		}
		throughput.Compare(s.name, report.Rate(len(recorded.plain), ours.time), report.Rate(len(recorded.plain), theirs.time), report.AtLeast(2.5))
		throughput.Compare("allocations", report.Number(ours.allocations), report.Number(theirs.allocations), report.AtMost(1.0/10))
	}
	return nil
}

// sameFrames makes sure that both decoders do the same work: their frames are the same, byte for byte.
func sameFrames(body []byte) error {
	ours, err := promjson.Decode(bytes.NewReader(body), promjson.Limits{})
	if err != nil {
		return err
	}
	theirs, err := reference.Decode(bytes.NewReader(body))
	if err != nil {
		return err
	}
	a, err := ours.Frames.MarshalArrow()
	if err != nil {
		return err
	}
	b, err := theirs.MarshalArrow()
	if err != nil {
		return err
	}
	if len(a) != len(b) {
		return fmt.Errorf("%d frames and %d", len(a), len(b))
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return fmt.Errorf("the decoders disagree on frame %d", i)
		}
	}
	return nil
}
