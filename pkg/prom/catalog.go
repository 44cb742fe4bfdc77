package prom

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
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
	// longestName is longer than any name of the catalog, in bytes. What is longer is not looked up, because each of its parts would be.
	longestName = 200
)

// catalog has type, meaning and unit of the metrics of known deployments.
var catalog = sync.OnceValue(func() map[string]promql.Metadata {
	known := map[string]promql.Metadata{}
	if err := json.Unmarshal(catalogJSON, &known); err != nil {
		panic(err) // a test reads it
	}
	return known
})

// describe is what the catalog says of a metric: of its name, or of its name after any prefix.
func describe(metric string) promql.Metadata {
	found, ok := catalog()[metric]
	for rest, more := metric, true; !ok && more; {
		if _, rest, more = strings.Cut(rest, "_"); more && len(rest) < longestName {
			found, ok = catalog()[neutralPrefix+rest]
		}
	}
	return found
}

// complete fills in what is missing of a metric's metadata with what the catalog says.
func complete(m promql.Metadata, metric string) promql.Metadata {
	known := describe(metric)
	if known.Type != "" && (m.Type == "" || m.Type == unknownType || m.ByName) {
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

// withCatalog completes the metadata of metrics.
func withCatalog(given map[string][]promql.Metadata) map[string][]promql.Metadata {
	all := make(map[string][]promql.Metadata, len(given))
	for metric, list := range given {
		for _, m := range list {
			all[metric] = append(all[metric], complete(m, metric))
		}
	}
	return all
}
