package plugin

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
)

// What the cache of metrics is like where nothing is set.
const (
	defaultCacheMegabytes = 64
	defaultRecentWindow   = 10 * time.Minute
	// maxCacheMegabytes is far beyond what a plugin should take, and far from where counting bytes ends.
	maxCacheMegabytes = 1 << 20
)

// savedCache is the setting "cache" of jsonData.
type savedCache struct {
	Enabled      text `json:"enabled"`
	MaxMegabytes text `json:"maxMegabytes"`
	RecentWindow text `json:"recentWindow"`
}

// settings fills in what is not set. Its error is a settingsError.
func (s savedCache) settings() (promclient.Cache, error) {
	enabled := true
	if value := strings.TrimSpace(string(s.Enabled)); value != "" {
		var err error
		if enabled, err = strconv.ParseBool(value); err != nil {
			return promclient.Cache{}, settingsError("The setting Cache is neither true nor false.")
		}
	}
	recent, err := duration("Recent window", s.RecentWindow, defaultRecentWindow)
	if err != nil {
		return promclient.Cache{}, err
	}
	megabytes := float64(defaultCacheMegabytes)
	if value := strings.TrimSpace(string(s.MaxMegabytes)); value != "" {
		// Written this way round, NaN is refused, too.
		if megabytes, err = strconv.ParseFloat(value, 64); err != nil || !(megabytes > 0 && megabytes <= maxCacheMegabytes) {
			return promclient.Cache{}, settingsError("The setting Cache size is not a number of megabytes. Write for example 64.")
		}
	}
	if !enabled {
		return promclient.Cache{}, nil
	}
	return promclient.Cache{MaxBytes: int(math.Ceil(megabytes * (1 << 20))), RecentWindow: recent}, nil
}
