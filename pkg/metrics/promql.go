package metrics

import "github.com/prometheus/prometheus/promql/parser"

// promQL reads everything a Prometheus may have switched on: whether the platform's engine runs it is the engine's to say.
var promQL = parser.NewParser(parser.Options{
	EnableExperimentalFunctions:  true,
	ExperimentalDurationExpr:     true,
	EnableExtendedRangeSelectors: true,
	EnableBinopFillModifiers:     true,
})
