package prom

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
)

// catalogJSON is made from src/catalog/metrics by `npm run reference`.
//
//go:embed catalog.json
var catalogJSON []byte

const (
	// neutralPrefix stands in the catalog for the prefix of a deployment's own metrics.
	neutralPrefix = "vendor_"
	// unknownType is what Prometheus says of a metric whose type it does not know.
	unknownType = "unknown"
)

// catalog has type, meaning and unit of the metrics of known deployments.
var catalog = sync.OnceValue(func() map[string]metricMetadata {
	known := map[string]metricMetadata{}
	if err := json.Unmarshal(catalogJSON, &known); err != nil {
		panic(err) // a test reads it
	}
	return known
})

// describe is what the catalog says of a metric: of its name, or of its name after any prefix.
func describe(metric string) (metricMetadata, bool) {
	if found, ok := catalog()[metric]; ok {
		return found, true
	}
	for rest := metric; ; {
		_, after, ok := strings.Cut(rest, "_")
		if !ok {
			return metricMetadata{}, false
		}
		if found, ok := catalog()[neutralPrefix+after]; ok {
			return found, true
		}
		rest = after
	}
}

// describeSeries is describe for the name of a series: that of a histogram has a suffix behind the histogram's.
func describeSeries(name string) metricMetadata {
	if found, ok := describe(name); ok {
		return found
	}
	for _, suffix := range []string{"_bucket", "_count", "_sum"} {
		if family, ok := strings.CutSuffix(name, suffix); ok {
			if found, ok := describe(family); ok && found.Type == "histogram" {
				return found
			}
		}
	}
	return metricMetadata{}
}

// complete fills in what is missing of a metric's metadata with what the catalog says.
func (m metricMetadata) complete(metric string) metricMetadata {
	known, ok := describe(metric)
	if !ok {
		return m
	}
	if m.Type == "" || m.Type == unknownType || m.byName {
		m.Type = known.Type
	}
	if m.Help == "" {
		m.Help = known.Help
	}
	if m.Unit == "" {
		m.Unit = known.Unit
	}
	return m
}

// withCatalog completes the data of a response of api/v1/metadata. Data of another form are left as they are.
func withCatalog(response json.RawMessage) json.RawMessage {
	all := map[string][]metricMetadata{}
	if json.Unmarshal(response, &all) != nil {
		return response
	}
	for metric, list := range all {
		for i := range list {
			list[i] = list[i].complete(metric)
		}
	}
	encoded, err := json.Marshal(all)
	if err != nil {
		return response
	}
	return encoded
}
