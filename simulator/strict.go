package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// strict adds the flags that make the platform as strict or as unusual as other deployments of its interface.
func strict(flags *flag.FlagSet, c *platform.Config) {
	flags.BoolVar(&c.SpecOnly, "spec-only", false, "serve only what the platform's specification documents")
	flags.DurationVar(&c.Collection.Jitter, "jitter", 0, "`time` that samples are off the whole collection interval at most, such as 15s")
	flags.Float64Var(&c.Collection.Missed, "missed-scrapes", 0, "`part` of the scrapes that give no samples, such as 0.02")
	flags.DurationVar(&c.Collection.Restarts, "restarts", 0, "`time` in which each target restarts once, such as 6h: stale markers and counter resets")
	oneOf(flags, "content-encoding", "content `coding` of all responses, even if the client does not accept it, in any letter case: gzip, deflate, br or zstd", platform.IsCoding, func(coding string) { c.ContentEncoding = coding })
	choice(flags, "gateway-times", "how the gateway writes `times`", gateway.TimeFormats, func(name string) { c.GatewayDialect.Times = name })
	choice(flags, "gateway-errors", "how the gateway writes `errors`", gateway.ErrorFormats, func(name string) { c.GatewayDialect.Errors = name })
	flags.IntVar(&c.GatewayMaxLimit, "gateway-max-limit", 0, "largest `limit` of a list of the gateway; a larger one is refused with 400")
	flags.Func("rate-limit", "`rate` of the gateway, such as 60/m: a token bucket of that size", func(text string) error {
		c.RateLimit = text
		return platform.CheckRate(text)
	})
	choice(flags, "signature-query", "`form` of the signed query of the main API", mainapi.SignatureQueries, func(form mainapi.SignatureQuery) { c.SignatureQuery = form })
}

// choice adds a flag whose value is one of some names.
func choice[T ~string](flags *flag.FlagSet, name, usage string, names []T, set func(T)) {
	oneOf(flags, name, usage+": "+strings.Trim(fmt.Sprint(names), "[]"), func(text string) bool { return slices.Contains(names, T(text)) }, func(text string) { set(T(text)) })
}

func oneOf(flags *flag.FlagSet, name, usage string, fits func(string) bool, set func(string)) {
	flags.Func(name, usage, func(text string) error {
		if !fits(text) {
			return errors.New("it must be the " + strings.ReplaceAll(usage, "`", ""))
		}
		set(text)
		return nil
	})
}

func checkStrict(c *platform.Config) error {
	switch collection := c.Collection; {
	case c.SpecOnly && c.RangePath != platform.DefaultRangePath:
		return errors.New("-spec-only has no other -range-path than query_range")
	case collection.Jitter < 0 || collection.Jitter >= metrics.MaxJitter:
		return fmt.Errorf("-jitter must be less than %s, and not less than 0", metrics.MaxJitter)
	case collection.Missed < 0 || collection.Missed >= 1:
		return errors.New("-missed-scrapes must be less than 1, and not less than 0")
	case collection.Restarts < 0 || c.GatewayMaxLimit < 0:
		return errors.New("-restarts and -gateway-max-limit must not be less than 0")
	}
	return nil
}
