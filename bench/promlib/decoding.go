// cspell:ignore jsoniter

package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana/pkg/promlib/converter"
	jsoniter "github.com/json-iterator/go"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// bufferSize of the iterator, in bytes, is that of Grafana's Prometheus data source.
const bufferSize = 1024

// decoder makes frames of the body of a response.
type decoder func(io.Reader) (data.Frames, error)

func ours(body io.Reader) (data.Frames, error) {
	result, err := promjson.Decode(body, promjson.Limits{})
	if err != nil {
		return nil, err
	}
	return result.Frames, nil
}

func promlib(body io.Reader) (data.Frames, error) {
	response := converter.ReadPrometheusStyleResult(jsoniter.Parse(jsoniter.ConfigDefault, body, bufferSize), converter.Options{})
	return response.Frames, response.Error
}

// decoding compares the decoders on bodies in memory.
func decoding(rounds int, recorded []response, r *report.Report) error {
	group := r.Group("Decoding a response, compared with promlib, the decoder of Grafana's Prometheus data source")
	for _, s := range recorded {
		if err := sameFrames(s.plain); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		with := func(decode decoder) func() error {
			return func() error {
				_, err := decode(bytes.NewReader(s.plain))
				return err
			}
		}
		a, b, err := timing.Compare(rounds, with(ours), with(promlib))
		if err != nil {
			return err
		}
		group.Compare(s.name, report.Rate(len(s.plain), a.Time), report.Rate(len(s.plain), b.Time), report.AtLeast(2.5))
		group.Compare("allocations", report.Number(a.Allocations), report.Number(b.Allocations), report.AtMost(1.0/10))
	}
	return nil
}

// sameFrames makes sure that both decoders do the same work: the fields of their frames are the same, byte for byte. What is
// said of the frames, such as their type, is added later by the one and here by the other.
func sameFrames(body []byte) error {
	a, err := fields(ours, body)
	if err != nil {
		return err
	}
	b, err := fields(promlib, body)
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

func fields(decode decoder, body []byte) ([][]byte, error) {
	frames, err := decode(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, frame := range frames {
		frame.Meta = nil
	}
	return frames.MarshalArrow()
}
