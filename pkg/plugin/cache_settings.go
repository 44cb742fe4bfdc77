package plugin

import (
	"math"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
)

// The defaults and bounds of the cache of metrics.
const (
	defaultCacheMegabytes = 64
	defaultRecentWindow   = 10 * time.Minute
	// maxCacheMegabytes is above any useful size, and its bytes don't overflow.
	maxCacheMegabytes = 1 << 20
)

// savedCache is the setting "cache" of jsonData.
type savedCache struct {
	Enabled      text `json:"enabled"`
	MaxMegabytes text `json:"maxMegabytes"`
	RecentWindow text `json:"recentWindow"`
}

// settings validates the setting and sets defaults. Its error is a settingsError.
func (s savedCache) settings() (prom.Cache, error) {
	enabled := true
	if value := string(s.Enabled); value != "" {
		var err error
		if enabled, err = strconv.ParseBool(value); err != nil {
			return prom.Cache{}, settingsError("The setting Cache is neither true nor false.")
		}
	}
	recent, err := duration("Recent window", s.RecentWindow, defaultRecentWindow)
	if err != nil {
		return prom.Cache{}, err
	}
	megabytes := float64(defaultCacheMegabytes)
	if value := string(s.MaxMegabytes); value != "" {
		// The negated condition is true for NaN, too.
		if megabytes, err = strconv.ParseFloat(value, 64); err != nil || !(megabytes > 0 && megabytes <= maxCacheMegabytes) {
			return prom.Cache{}, settingsError("The setting Cache size is not a number of megabytes. Write for example 64.")
		}
	}
	if !enabled {
		return prom.Cache{}, nil
	}
	return prom.Cache{MaxBytes: int(math.Ceil(megabytes * (1 << 20))), RecentWindow: recent}, nil
}
