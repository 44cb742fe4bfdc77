package plugin

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// newMetrics makes the client of the metrics endpoint, and of its archive.
func newMetrics(s *settings) (*prom.Client, error) {
	base, err := s.metricsBase()
	token := s.secret("monitoringToken")
	if err = cmp.Or(err, credentialError("monitoring token", token, "Metrics")); err != nil {
		return nil, err
	}
	config, err := s.metricsConfig()
	if err != nil {
		return nil, err
	}
	config.Base = base
	config.Archive, config.Retention = newArchive(s)
	config.Transport, err = connect(transportOptions(s, transport.Service{
		Name: "metrics", Title: "The metrics endpoint", Credential: "monitoring token", Section: "Metrics",
		Secrets: []string{token}, Host: base.Host,
	}, transport.Bearer(token)))
	if err != nil {
		return nil, err
	}
	return prom.New(config), nil
}

// savedMetrics are the settings of jsonData that no other service has, so that what is wrong with them stops none.
type savedMetrics struct {
	HTTPMethod            text       `json:"httpMethod"`
	TimeInterval          text       `json:"timeInterval"`
	QueryTimeout          text       `json:"queryTimeout"`
	CustomQueryParameters text       `json:"customQueryParameters"`
	Cache                 savedCache `json:"cache"`
}

// metricsConfig has how queries are sent, the limits of results, and the cache. Its error is a settingsError.
func (s *settings) metricsConfig() (config prom.Config, err error) {
	var saved savedMetrics
	if err := readSettings("jsonData", s.from.JSONData, &saved); err != nil {
		return config, err
	}
	config.Limits = promql.Limits{Series: limit(s.MaxSeries, defaultMaxSeries), Samples: limit(s.MaxPoints, defaultMaxPoints)}
	config.Method = http.MethodGet
	if strings.EqualFold(string(saved.HTTPMethod), http.MethodPost) {
		config.Method = http.MethodPost
	}
	if config.MinStep, err = duration("Scrape interval", saved.TimeInterval, defaultMinStep); err != nil {
		return config, err
	}
	if config.QueryTimeout, err = duration("Query timeout", saved.QueryTimeout, 0); err != nil {
		return config, err
	}
	if config.Cache, err = saved.Cache.settings(); err != nil {
		return config, err
	}
	config.Cache.SlowAfter = s.timeout() / 3
	if config.Params, err = url.ParseQuery(string(saved.CustomQueryParameters)); err != nil {
		return config, settingsError("The setting Custom query parameters is not of the form name=value&name=value.")
	}
	return config, nil
}

// The defaults of the cache of metrics.
const (
	defaultCacheBytes   = 64 << 20
	defaultRecentWindow = 10 * time.Minute
)

// savedCache is the setting "cache" of jsonData.
type savedCache struct {
	Enabled      text         `json:"enabled"`
	MaxMegabytes query.Number `json:"maxMegabytes"`
	RecentWindow text         `json:"recentWindow"`
}

// settings validates the setting and sets defaults. Its error is a settingsError.
func (s savedCache) settings() (prom.Cache, error) {
	enabled, err := strconv.ParseBool(cmp.Or(string(s.Enabled), "true"))
	if err != nil {
		return prom.Cache{}, settingsError("The setting Cache is neither true nor false.")
	}
	recent, err := duration("Recent window", s.RecentWindow, defaultRecentWindow)
	if err != nil {
		return prom.Cache{}, err
	}
	if !enabled {
		return prom.Cache{}, nil
	}
	return prom.Cache{MaxBytes: limit(s.MaxMegabytes*(1<<20), defaultCacheBytes), RecentWindow: recent}, nil
}
