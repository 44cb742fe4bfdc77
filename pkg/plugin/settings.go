package plugin

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"golang.org/x/net/http/httpguts"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// defaultMinStep is the platform's collection interval.
	defaultMinStep = time.Minute
	// defaultMaxResponse bounds a decoded response, unless Grafana sets a limit.
	defaultMaxResponse = 256 << 20
	// defaultMaxConcurrent bounds the concurrent requests to a service. It is enough for several dashboards.
	defaultMaxConcurrent = 32
	// defaultMaxSeries is more than a panel can draw, and enough for a table of all GPUs of a large site.
	defaultMaxSeries = 100_000
	// defaultMaxPoints is 5,000 series of 1,000 points.
	defaultMaxPoints = 5_000_000
)

// settings are the settings of the data source, validated as far as possible without a request.
type settings struct {
	savedSettings
	from    backend.DataSourceInstanceSettings
	archive savedArchive
	secrets []string
	http    httpclient.Options
	// err is a settingsError if they can't be read, and that of all services then. archiveErr is that of the archive alone.
	err, archiveErr error
}

// secret is a secret setting.
func (s *settings) secret(name string) string {
	return strings.TrimSpace(s.from.DecryptedSecureJSONData[name])
}

// savedSettings is jsonData, as saved or provisioned.
type savedSettings struct {
	BaseURL               text         `json:"baseUrl"`
	ProjectID             text         `json:"projectId"`
	MetricsURL            text         `json:"metricsUrl"`
	IntelligenceURL       text         `json:"intelligenceUrl"`
	ConsoleURL            text         `json:"consoleUrl"`
	AccessKeyID           text         `json:"accessKeyId"`
	OrganizationID        text         `json:"organizationId"`
	TimestampHeader       text         `json:"timestampHeader"`
	MaxResponseMegabytes  query.Number `json:"maxResponseMegabytes"`
	MaxConcurrentRequests query.Number `json:"maxConcurrentRequests"`
	MaxSeries             query.Number `json:"maxSeries"`
	MaxPoints             query.Number `json:"maxPoints"`
	// Prices are parsed by package runs, and the archive's settings apart: what is wrong with them is no reason to fail other queries.
	Prices  json.RawMessage `json:"prices"`
	Archive json.RawMessage `json:"archive"`
}

// text is a string without spaces around it, which provisioning may have turned into a number or a boolean, for example $PROJECT_ID
// with the value 42.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	err := json.Unmarshal(raw, &s)
	switch {
	case err == nil:
		*t = text(strings.TrimSpace(s))
	case raw[0] == '{', raw[0] == '[':
		return err
	default:
		*t = text(raw)
	}
	return nil
}

type settingsError string

func (e settingsError) Error() string { return string(e) }

const errTLS = settingsError("The TLS or proxy settings can't be used. Check the certificates in the data source's settings, section Advanced.")

func loadSettings(ctx context.Context, from backend.DataSourceInstanceSettings) *settings {
	var saved savedSettings
	if err := readSettings("jsonData", from.JSONData, &saved); err != nil {
		return &settings{err: err}
	}
	options, err := httpOptions(ctx, from)
	if err != nil {
		return &settings{err: err}
	}
	s := &settings{savedSettings: saved, from: from, http: options}
	s.archiveErr = readSettings("archive", saved.Archive, &s.archive)
	s.secrets = secretsOf(from, basicAuth(s.archive.User, from.DecryptedSecureJSONData["archivePassword"]))
	return s
}

func (s *settings) timeout() time.Duration {
	if s.http.Timeouts == nil || s.http.Timeouts.Timeout <= 0 {
		return httpclient.DefaultTimeoutOptions.Timeout
	}
	return s.http.Timeouts.Timeout
}

// readSettings reads jsonData or a part of it into a struct. Its error is a settingsError, and the settings that can be read are set.
func readSettings[T any](name string, raw json.RawMessage, into *T) error {
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		wrong := cmp.Or(query.WrongType(err), name+" is not a JSON object")
		return settingsError("The data source's settings can't be read: " + wrong + ".")
	}
	return nil
}

// limit is the value of a limit in whole units, or the default if it is not set or below 1.
func limit(set query.Number, defaultValue int) int {
	if !(set >= 1) { // true for NaN, too
		return defaultValue
	}
	return int(min(set, 1<<53)) // a float64 represents all integers up to here
}

func duration(name string, value text, defaultValue time.Duration) (time.Duration, error) {
	if value == "" {
		return defaultValue, nil
	}
	d, err := gtime.ParseIntervalStringToTimeDuration(string(value)) // which takes a number for seconds
	if err != nil || d < time.Millisecond {
		return 0, settingsError("The setting " + name + " is not a duration. Write for example 60s.")
	}
	return d, nil
}

// httpOptions reads TLS, proxy, timeouts and custom headers. It recovers the SDK's panic on a value of an unexpected type, such
// as a provisioned header name that is a number.
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
	for _, values := range options.Header {
		for i, value := range values {
			values[i] = strings.TrimSpace(value) // a line break that was pasted with it can't be sent
		}
	}
	return options, err
}

// mainBase is the base address of the main API, without its version.
func (s *settings) mainBase() (*url.URL, error) {
	base, err := parseAddress("base address", "Connection", s.BaseURL)
	if err != nil {
		return nil, err
	}
	base.Path = strings.TrimSuffix(base.Path, "/v1")
	return base, nil
}

// metricsBase is the base address of the project's Prometheus API.
func (s *settings) metricsBase() (*url.URL, error) {
	if s.MetricsURL != "" {
		return parseAddress("full metrics address", "Metrics", s.MetricsURL)
	}
	base, err := s.mainBase()
	if err != nil {
		return nil, err
	}
	if strings.Trim(string(s.ProjectID), ".") == "" { // dots would change the path
		return nil, notSet("project id", "Connection")
	}
	// PathEscape makes an id with a slash one segment of the path.
	return base.JoinPath("v1", "projects", url.PathEscape(string(s.ProjectID)), "metrics", "timeseries"), nil
}

// tuningBase is the base address of the tuning gateway's operations. The setting may end with /v1.
func (s *settings) tuningBase() (*url.URL, error) {
	base, err := parseAddress("gateway address", "Fine-tuning", s.IntelligenceURL)
	if err != nil {
		return nil, err
	}
	base.Path = strings.TrimSuffix(base.Path, "/v1") + "/v1"
	return base, nil
}

// canBeHeader reports whether a setting is empty or the name of a header that the data source does not set itself.
func canBeHeader(name text) bool {
	switch http.CanonicalHeaderKey(string(name)) {
	case "":
		return true
	case "Authorization", "Host":
		return false
	}
	return httpguts.ValidHeaderFieldName(string(name))
}

// headerValueError is an error if a credential can't be sent in a header. Otherwise net/http would fail before it sends the
// request, which is indistinguishable from a failed connection, and would be retried.
func headerValueError(name, credential, section string) error {
	if httpguts.ValidHeaderFieldValue(credential) {
		return nil
	}
	return settingsError("The " + name + " has a control character, such as a line break, which no HTTP header can have. " +
		"Set it again in the data source's settings, section " + section + ".")
}

func notSet(name, section string) error {
	return settingsError("No " + name + " is set. Set it in the data source's settings, section " + section + ".")
}

// credentialError is an error if a credential that a service needs is missing or can't be sent.
func credentialError(name, credential, section string) error {
	if credential == "" {
		return notSet(name, section)
	}
	return headerValueError(name, credential, section)
}

// parseAddress parses an http or https address without trailing slashes, query and user.
func parseAddress(name, section string, address text) (*url.URL, error) {
	if address == "" {
		return nil, notSet(name, section)
	}
	u, err := url.Parse(string(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, settingsError("The " + name + " is not an absolute address. Write it with http:// or https:// in the data source's settings, section " + section + ".")
	}
	// A path that begins with two slashes would be read as a host.
	clean := (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).JoinPath()
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimRight(clean.Path, "/")}, nil
}
