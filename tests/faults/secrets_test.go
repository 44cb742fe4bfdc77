package faults

import (
	"slices"
	"strings"
	"testing"
)

// Secrets, which may leave the backend only in one header to their own service. They occur nowhere else in this package's
// responses, so that each occurrence is a leak.
const (
	monitoringToken  = "canary-monitoring-token"
	inferenceAPIKey  = "canary-inference-api-key"
	secretKey        = "Y2FuYXJ5LXNlY3JldC1rZXk" // raw URL-safe base64
	accessKeyID      = "CANARY-ACCESS-KEY-ID"
	secretHeader     = "canary-secret-header-value"
	secretHeaderName = "X-Tenant"
)

// Values of the user and of the dashboard.
const (
	userToken  = "canary-identity-token"
	userCookie = "canary-session-cookie"
	userLogin  = "canary-login"
	userEmail  = "canary@example.com"
	dashboard  = "canary-dashboard-uid"
	// inQuery is part of every query. No error repeats it.
	inQuery = "canary-in-query"
)

// secrets are values that no output may contain. The last one is the decoded secret key.
var secrets = []string{monitoringToken, inferenceAPIKey, secretKey, secretHeader, "canary-secret-key"}

// userData is not sent to the platform, and no error repeats it.
var userData = []string{userToken, userCookie, userLogin, userEmail, dashboard}

// userHeaders are headers that Grafana sends with a query.
var userHeaders = map[string]string{
	"Authorization": "Bearer " + userToken, "X-Grafana-Id": userToken, "X-Id-Token": userToken, "Cookie": "session=" + userCookie,
	"X-Grafana-User": userLogin, "X-Dashboard-Uid": dashboard, "X-Panel-Id": dashboard, "X-Grafana-Referer": "https://grafana.example/d/" + dashboard,
	"X-Forwarded-For": "203.0.113.7", "Traceparent": "00-" + dashboard,
}

// asResourceHeaders are the same headers for a resource.
func asResourceHeaders() map[string][]string {
	headers := map[string][]string{}
	for name, value := range userHeaders {
		headers[name] = []string{value}
	}
	return headers
}

// requireNone fails if one of the words is in the text.
func requireNone(t *testing.T, where, text string, message ...[]string) {
	t.Helper()
	for _, word := range slices.Concat(message...) {
		if at := strings.Index(text, word); at >= 0 {
			t.Errorf("%s holds %q: …%s…", where, word, text[max(0, at-80):min(len(text), at+len(word)+40)])
		}
	}
}

// hosts are where this package's servers run, and parts of addresses.
var hosts = []string{"127.0.0.1", "localhost", "://", ".invalid", "/v1/", "project-of-tests"}
