package plugin

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// minSecretLength is the minimum length of a value that is redacted in messages. Shorter ones occur in ordinary words.
const minSecretLength = 6

// secretsOf are all secret values of the settings, custom headers and passwords included, in the forms in which a request has
// them, and others. The longest are first, because one may contain another.
func secretsOf(from backend.DataSourceInstanceSettings, others ...string) []string {
	var all []string
	for _, value := range from.DecryptedSecureJSONData {
		value = strings.TrimSpace(value) // as it is sent
		all = append(all, longEnough([]string{value, url.QueryEscape(value)})...)
	}
	if from.BasicAuthEnabled {
		others = append(others, basicAuth(text(from.BasicAuthUser), from.DecryptedSecureJSONData["basicAuthPassword"]))
	}
	all = append(all, longEnough(others)...)
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}

// basicAuth is the form that a password has in requests, or empty without one.
func basicAuth(user text, password string) string {
	if password == "" {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(string(user) + ":" + password))
}

func longEnough(values []string) []string {
	return slices.DeleteFunc(values, func(value string) bool { return len(value) < minSecretLength })
}
