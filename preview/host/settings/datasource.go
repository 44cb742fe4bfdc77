package settings

import "encoding/json"

// DataSource is a data source as Grafana's HTTP API shows it. Secrets are never in it: SecureJSONFields only
// says which of them are set.
type DataSource struct {
	ID               int64           `json:"id"`
	UID              string          `json:"uid"`
	OrgID            int64           `json:"orgId"`
	Name             string          `json:"name"`
	Type             string          `json:"type"`
	TypeLogoURL      string          `json:"typeLogoUrl"`
	Access           string          `json:"access"`
	URL              string          `json:"url"`
	User             string          `json:"user"`
	Database         string          `json:"database"`
	BasicAuth        bool            `json:"basicAuth"`
	BasicAuthUser    string          `json:"basicAuthUser"`
	WithCredentials  bool            `json:"withCredentials"`
	IsDefault        bool            `json:"isDefault"`
	JSONData         json.RawMessage `json:"jsonData"`
	SecureJSONFields map[string]bool `json:"secureJsonFields"`
	Version          int64           `json:"version"`
	ReadOnly         bool            `json:"readOnly"`
}

// Change is the body of a PUT: everything but the identity may change. A secret that is not named stays as
// it was; one that is named with an empty value is removed.
type Change struct {
	Name            string            `json:"name"`
	URL             string            `json:"url"`
	User            string            `json:"user"`
	Database        string            `json:"database"`
	BasicAuth       bool              `json:"basicAuth"`
	BasicAuthUser   string            `json:"basicAuthUser"`
	WithCredentials bool              `json:"withCredentials"`
	JSONData        json.RawMessage   `json:"jsonData"`
	SecureJSONData  map[string]string `json:"secureJsonData"`
}
