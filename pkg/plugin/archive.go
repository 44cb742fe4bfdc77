package plugin

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// savedArchive is the setting "archive" of jsonData. Its credentials are its own: nothing of the platform's requests is in its requests, nor the
// other way.
type savedArchive struct {
	URL        text     `json:"url"`
	Retention  text     `json:"retention"` // of the platform
	DropLabels []string `json:"dropLabels"`
	User       text     `json:"user"`
	HeaderName text     `json:"headerName"`
}

// minRetention leaves steps to the platform after the edge was rounded.
const minRetention = 2 * time.Hour

// newArchive makes the archive, which is nil if none is set, and reads how long the platform stores samples; 0 is the default. What is wrong with
// these settings is the error of queries of older samples, which would have no result otherwise.
func newArchive(s *settings) (*prom.Archive, time.Duration) {
	retention, err := duration("Retention of the platform", s.archive.Retention, 0)
	if err == nil && retention > 0 && retention < minRetention {
		retention, err = 0, settingsError("The setting Retention of the platform is below 2h. Write for example 30d.")
	}
	var archive *prom.Archive
	if err = cmp.Or(s.archiveErr, err); err == nil {
		archive, err = archiveOf(s)
	}
	if err != nil {
		archive = &prom.Archive{Err: err}
	}
	if archive != nil {
		archive.DropLabels = slices.DeleteFunc(s.archive.DropLabels, func(name string) bool { return strings.TrimSpace(name) == "" })
	}
	return archive, retention
}

func archiveOf(s *settings) (*prom.Archive, error) {
	a := s.archive
	if a.URL == "" {
		return nil, nil
	}
	base, err := parseAddress("archive's address", "Archive", a.URL)
	if err != nil {
		return nil, err
	}
	base.Path = strings.TrimSuffix(base.Path, "/api/v1") // the setting may end with it
	token, password, header := s.secret("archiveToken"), s.from.DecryptedSecureJSONData["archivePassword"], s.secret("archiveHeader")
	options := transportOptions(s, transport.Service{ //nolint:gosec // it names the credential, and holds none
		Name: "archive", Title: "The archive", Credential: "credential of the archive", Section: "Archive",
		Secrets: longEnough([]string{basicAuth(a.User, password), password, header}), Host: base.Host,
	}, nil)
	options.HTTP = httpclient.Options{
		Timeouts: s.http.Timeouts, ProxyOptions: s.http.ProxyOptions, Header: http.Header{},
		TLS: &httpclient.TLSOptions{CACertificate: s.secret("archiveTlsCaCert")},
	}
	switch {
	case token != "" && a.User != "":
		return nil, settingsError("The archive has a token and a user. Set one of both in the data source's settings, section Archive.")
	case token != "":
		if err := headerValueError("archive token", token, "Archive"); err != nil {
			return nil, err
		}
		options.Authorize, options.Service.Secrets = transport.Bearer(token), append(options.Service.Secrets, token)
	case a.User != "":
		options.HTTP.BasicAuth = &httpclient.BasicAuthOptions{User: string(a.User), Password: password}
	}
	if a.HeaderName != "" {
		if !canBeHeader(a.HeaderName) {
			return nil, settingsError("The setting Header of the archive is not the name of a header, such as X-Scope-OrgID.")
		}
		if err := headerValueError("value of the archive's header", header, "Archive"); err != nil {
			return nil, err
		}
		options.HTTP.Header.Set(string(a.HeaderName), header)
	}
	client, err := transport.New(options)
	if err != nil {
		return nil, settingsError("The archive's TLS settings can't be used. Check the certificate in the data source's settings, section Archive.")
	}
	return &prom.Archive{Transport: client, Base: base}, nil
}
