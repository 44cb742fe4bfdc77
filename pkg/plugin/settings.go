package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"golang.org/x/net/http/httpguts"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// defaultMinStep is the platform's collection interval.
	defaultMinStep = time.Minute
	// defaultMaxResponse bounds an answer, unpacked, where Grafana sets no limit of its own.
	defaultMaxResponse = 256 << 20
	// defaultMaxConcurrent is how many requests to a service are under way at a time: enough for several dashboards.
	defaultMaxConcurrent = 32
	// defaultMaxSeries is more than any panel can draw, and what a table of every GPU of a large site has.
	defaultMaxSeries = 100_000
	// defaultMaxPoints is five thousand series of a panel a thousand points wide.
	defaultMaxPoints = 5_000_000
)

// settings are the data source's, checked as far as that is possible without asking the platform.
type settings struct {
	baseURL         string
	projectID       string
	metricsURL      string
	monitoringToken string
	intelligenceURL string
	inferenceKey    string
	consoleURL      string
	accessKeyID     string
	organizationID  string
	secretKey       string
	timestampHeader string
	httpMethod      string
	minStep         time.Duration
	queryTimeout    time.Duration
	customParams    url.Values
	maxResponse     int64
	cache           promclient.Cache
	maxConcurrent   int
	limits          promclient.Limits
	// secrets are all of Grafana's secret values, to be masked.
	secrets []string
	http    httpclient.Options
}

// savedSettings is jsonData as users and provisioning files write it.
type savedSettings struct {
	BaseURL               string       `json:"baseUrl"`
	ProjectID             text         `json:"projectId"`
	MetricsURL            string       `json:"metricsUrl"`
	IntelligenceURL       string       `json:"intelligenceUrl"`
	ConsoleURL            string       `json:"consoleUrl"`
	AccessKeyID           text         `json:"accessKeyId"`
	OrganizationID        text         `json:"organizationId"`
	TimestampHeader       string       `json:"timestampHeader"`
	HTTPMethod            string       `json:"httpMethod"`
	TimeInterval          text         `json:"timeInterval"`
	QueryTimeout          text         `json:"queryTimeout"`
	CustomQueryParameters string       `json:"customQueryParameters"`
	MaxResponseMegabytes  query.Number `json:"maxResponseMegabytes"`
	MaxConcurrentRequests query.Number `json:"maxConcurrentRequests"`
	MaxSeries             query.Number `json:"maxSeries"`
	MaxPoints             query.Number `json:"maxPoints"`
	Cache                 savedCache   `json:"cache"`
}

// text is a string that provisioning may have turned into a number or a bool on the way: $PROJECT_ID holding 42 arrives as 42.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*t = text(s)
		return nil
	}
	switch raw[0] {
	case '{', '[':
		return &json.UnmarshalTypeError{Value: "structure", Field: "a text setting"}
	}
	if !bytes.Equal(raw, []byte("null")) {
		*t = text(raw)
	}
	return nil
}

// settingsError is a setting that can't be used; it reads as a sentence.
type settingsError string

func (e settingsError) Error() string { return string(e) }

const unusableTLS = settingsError("The TLS or proxy settings can't be used. Check the certificates in the data source's settings, section Advanced.")

// loadSettings reads Grafana's settings. Its error is a settingsError.
func loadSettings(ctx context.Context, from backend.DataSourceInstanceSettings) (*settings, error) {
	var saved savedSettings
	if len(from.JSONData) > 0 {
		if err := json.Unmarshal(from.JSONData, &saved); err != nil {
			return nil, settingsError("The data source's settings can't be read: " + wrongType(err) + ".")
		}
	}
	options, err := httpOptions(ctx, from)
	if err != nil {
		return nil, err
	}
	s := &settings{
		baseURL:         strings.TrimSpace(saved.BaseURL),
		projectID:       strings.TrimSpace(string(saved.ProjectID)),
		metricsURL:      strings.TrimSpace(saved.MetricsURL),
		monitoringToken: strings.TrimSpace(from.DecryptedSecureJSONData["monitoringToken"]),
		intelligenceURL: strings.TrimSpace(saved.IntelligenceURL),
		inferenceKey:    strings.TrimSpace(from.DecryptedSecureJSONData["inferenceApiKey"]),
		consoleURL:      strings.TrimSpace(saved.ConsoleURL),
		accessKeyID:     strings.TrimSpace(string(saved.AccessKeyID)),
		organizationID:  strings.TrimSpace(string(saved.OrganizationID)),
		secretKey:       strings.TrimSpace(from.DecryptedSecureJSONData["secretKey"]),
		timestampHeader: strings.TrimSpace(saved.TimestampHeader),
		httpMethod:      http.MethodGet,
		maxResponse:     int64(limit(saved.MaxResponseMegabytes*(1<<20), defaultMaxResponse)),
		maxConcurrent:   limit(saved.MaxConcurrentRequests, defaultMaxConcurrent),
		limits:          promclient.Limits{Series: limit(saved.MaxSeries, defaultMaxSeries), Points: limit(saved.MaxPoints, defaultMaxPoints)},
		secrets:         secretsOf(from),
		http:            options,
	}
	if strings.EqualFold(saved.HTTPMethod, http.MethodPost) {
		s.httpMethod = http.MethodPost
	}
	if s.minStep, err = duration("Scrape interval", saved.TimeInterval, defaultMinStep); err != nil {
		return nil, err
	}
	if s.queryTimeout, err = duration("Query timeout", saved.QueryTimeout, 0); err != nil {
		return nil, err
	}
	if s.cache, err = saved.Cache.settings(); err != nil {
		return nil, err
	}
	if s.customParams, err = url.ParseQuery(saved.CustomQueryParameters); err != nil {
		return nil, settingsError("The setting Custom query parameters is not of the form name=value&name=value.")
	}
	return s, nil
}

// limit is a limit that was set, in whole units, or the default where none was or it would let nothing through.
func limit(set query.Number, otherwise int) int {
	if !(set >= 1) { // NaN isn't, either
		return otherwise
	}
	return int(min(set, 1<<53)) // further on, a float64 skips whole numbers
}

func wrongType(err error) string {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) && mismatch.Field != "" {
		return fmt.Sprintf("%s can't be a %s", mismatch.Field, mismatch.Value)
	}
	return "jsonData is not a JSON object"
}

func duration(name string, value text, otherwise time.Duration) (time.Duration, error) {
	if value == "" {
		return otherwise, nil
	}
	if isNumber(value) {
		// As in Grafana's Prometheus data source.
		value += "s"
	}
	d, err := gtime.ParseDuration(string(value))
	if err != nil || d <= 0 {
		return 0, settingsError("The setting " + name + " is not a duration. Write for example 60s.")
	}
	return d, nil
}

// isNumber tells whether a value is a whole number without a unit.
func isNumber(value text) bool {
	_, err := strconv.ParseUint(string(value), 10, 32)
	return err == nil
}

// httpOptions reads TLS, proxy, timeouts and custom headers. The SDK panics on a value of an unexpected type, such as a
// provisioned header name that is a number; that becomes an error here.
func httpOptions(ctx context.Context, from backend.DataSourceInstanceSettings) (options httpclient.Options, err error) {
	defer func() {
		if recover() != nil {
			err = settingsError("An HTTP setting has a value of the wrong type. Names of custom headers, for example, must be text.")
		}
	}()
	options, err = from.HTTPClientOptions(ctx)
	if err != nil {
		err = settingsError("The HTTP settings can't be read.")
	}
	return options, err
}

// mainBase is the main API's base address, without its version.
func (s *settings) mainBase() (*url.URL, error) {
	if s.baseURL == "" {
		return nil, settingsError("No base address is set. Set it in the data source's settings, section Connection.")
	}
	base, err := absolute("the base address", "Connection", s.baseURL)
	if err != nil {
		return nil, err
	}
	base.Path = withoutVersion(base.Path)
	return base, nil
}

// metricsBase is the address below which the project's Prometheus API lives.
func (s *settings) metricsBase() (*url.URL, error) {
	if s.metricsURL != "" {
		return absolute("the full metrics address", "Metrics", s.metricsURL)
	}
	base, err := s.mainBase()
	if err != nil {
		return nil, err
	}
	if s.projectID == "" {
		return nil, settingsError("No project id is set. Set it in the data source's settings, section Connection.")
	}
	// PathEscape keeps an id that holds a slash from leaving its place in the path.
	return base.Parse(base.Path + "/v1/projects/" + url.PathEscape(s.projectID) + "/metrics/timeseries")
}

// tuningBase is the address below which the fine-tuning gateway's operations are; it may be set with or without /v1.
func (s *settings) tuningBase() (*url.URL, error) {
	if s.intelligenceURL == "" {
		return nil, settingsError("No gateway address is set. Set it in the data source's settings, section Fine-tuning.")
	}
	base, err := absolute("the gateway address", "Fine-tuning", s.intelligenceURL)
	if err != nil {
		return nil, err
	}
	base.Path = withoutVersion(base.Path) + "/v1"
	return base, nil
}

// gatewayIsMain tells whether the gateway's address is the main API's base address.
func (s *settings) gatewayIsMain() bool {
	gateway, err := s.tuningBase()
	if err != nil {
		return false
	}
	main, err := s.mainBase()
	return err == nil && strings.EqualFold(gateway.Host, main.Host) && gateway.Scheme == main.Scheme && gateway.Path == main.Path+"/v1"
}

// fieldName is the name of a header.
//
// Format: RFC 9110, 5.1
var fieldName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// hasTimestampHeader tells whether the time of a signature can be sent in the header that is set, if one is.
func (s *settings) hasTimestampHeader() bool {
	switch http.CanonicalHeaderKey(s.timestampHeader) {
	case "":
		return true
	case "Authorization", "Host":
		return false
	}
	return fieldName.MatchString(s.timestampHeader)
}

// headerValueError is an error if a credential can't be sent in a header. Such a request would fail before it is sent, which
// is indistinguishable from a connection that fails, and so would be retried.
func headerValueError(name, credential, section string) error {
	if httpguts.ValidHeaderFieldValue(credential) {
		return nil
	}
	return settingsError("The " + name + " has a control character, such as a line break, which no HTTP header can have. " +
		"Set it again in the data source's settings, section " + section + ".")
}

// withoutVersion takes "/v1" and slashes off the end of a base address's path, as the settings' editor does.
func withoutVersion(path string) string {
	for {
		path = strings.TrimRight(path, "/")
		if !strings.HasSuffix(path, "/v1") {
			return path
		}
		path = strings.TrimSuffix(path, "/v1")
	}
}

// absolute parses an http or https address and drops what does not belong in it: trailing slashes, query, user.
func absolute(what, section, address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, settingsError(fmt.Sprintf("%s%s is not an absolute address. Write it with http:// or https:// in the data source's settings, section %s.",
			strings.ToUpper(what[:1]), what[1:], section))
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimRight(u.Path, "/")}, nil
}
