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
	// longestName is longer than any name of the catalog, in bytes. What is longer is not looked up, because each of its parts would be.
	longestName = 200
)

type metadata struct {
	Type string `json:"type"`
	Help string `json:"help"`
	Unit string `json:"unit"`
}

// catalog has type, meaning and unit of the metrics of known deployments.
var catalog = sync.OnceValue(func() map[string]metadata {
	known := map[string]metadata{}
	if err := json.Unmarshal(catalogJSON, &known); err != nil {
		panic(err) // a test reads it
	}
	return known
})

// describe is what the catalog says of a metric: of its name, or of its name after any prefix. A metric that it does not have has the
// type that its name says by the conventions of Prometheus. The buckets of a histogram are described by the name of that.
func describe(metric string) (name string, m metadata) {
	name, isHistogram := strings.CutSuffix(metric, "_bucket")
	m, known := catalog()[name]
	for rest, more := name, true; !known && more; {
		if _, rest, more = strings.Cut(rest, "_"); more && len(rest) < longestName {
			m, known = catalog()[neutralPrefix+rest]
		}
	}
	switch {
	case m.Type != "":
	case isHistogram:
		m.Type = "histogram"
	case strings.HasSuffix(name, "_total"):
		m.Type = "counter"
	default:
		m.Type = "gauge"
	}
	return name, m
}
