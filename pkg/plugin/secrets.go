package plugin

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// shortestHidden is the length from which a value is masked wherever it turns up. A shorter one is part of ordinary words.
const shortestHidden = 6

// secretsOf are all values that Grafana keeps secret, in the forms in which a request holds them: custom headers and
// passwords too, not only the three credentials. The longest come first, because one may hold another.
func secretsOf(from backend.DataSourceInstanceSettings) []string {
	var all []string
	for _, value := range from.DecryptedSecureJSONData {
		if len(value) >= shortestHidden {
			all = append(all, value, url.QueryEscape(value))
		}
	}
	if from.BasicAuthEnabled {
		pair := from.BasicAuthUser + ":" + from.DecryptedSecureJSONData["basicAuthPassword"]
		all = append(all, base64.StdEncoding.EncodeToString([]byte(pair)))
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}
