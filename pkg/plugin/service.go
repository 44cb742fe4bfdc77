package plugin

import (
	"cmp"
	"net/http"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// service is the client of one of the platform's services, or the error of its settings, without which there is a client.
type service[C serviceClient] struct {
	client C
	err    error
	// configured is true if any of the service's settings is set.
	configured bool
}

// serviceClient is a pointer to the client of a service.
type serviceClient interface {
	ClearCache()
	Close()
}

// newService makes a service by a function, of whose settings any is set or none.
func newService[C serviceClient](s *settings, configured bool, connect func(*settings) (C, error)) (made service[C]) {
	made.configured, made.err = configured || s.err != nil, s.err
	if made.err == nil {
		made.client, made.err = connect(s)
	}
	return made
}

// notSetUp is the error of a service of which nothing is set, where another one is. It wraps that of its settings.
type notSetUp struct{ error }

func (e notSetUp) Unwrap() error { return e.error }

// besideOthers says of a service that is not configured that others are. It is not for the metrics, which nearly all panels need: of a token that
// is missing nothing else would say that it was to be there.
func (s *service[C]) besideOthers() {
	if !s.configured {
		s.err = notSetUp{s.err}
	}
}

// with calls a function with the client, if there is one.
func (s *service[C]) with(do func(serviceClient)) {
	if s.err == nil {
		do(s.client)
	}
}

func transportOptions(s *settings, to transport.Service, authorize func(http.RoundTripper) http.RoundTripper) transport.Options {
	to.Private = s.secrets
	return transport.Options{
		HTTP: s.http, Service: to, Authorize: authorize, MaxResponseBytes: int64(limit(s.MaxResponseMegabytes*(1<<20), defaultMaxResponse)),
		MaxConcurrent: limit(s.MaxConcurrentRequests, defaultMaxConcurrent),
	}
}

func connect(o transport.Options) (*transport.Client, error) {
	client, err := transport.New(o)
	if err != nil {
		return nil, errTLS
	}
	return client, nil
}

func newGateway(s *settings) (*jobs.Client, error) {
	base, err := s.tuningBase()
	key := s.secret("inferenceApiKey")
	if err = cmp.Or(err, credentialError("inference API key", key, "Fine-tuning")); err != nil {
		return nil, err
	}
	options := transportOptions(s, transport.Service{ //nolint:gosec // it names the credential, and holds none
		Name: "gateway", Title: "The tuning gateway", Credential: "inference API key", Section: "Fine-tuning",
		Secrets: []string{key}, Host: base.Host,
	}, transport.Bearer(key))
	responses, err := connect(options)
	options.Streaming, options.MaxResponseBytes, options.MaxConcurrent = true, 0, 0
	downloads, downloadsErr := connect(options)
	if err = cmp.Or(err, downloadsErr); err != nil {
		return nil, err
	}
	return &jobs.Client{
		Client: gateway.New(gateway.Config{Transport: responses, Downloads: downloads, Base: base}),
		Links:  jobs.Links{DataSourceUID: s.from.UID, DataSourceName: s.from.Name, Console: string(s.ConsoleURL), ProjectID: string(s.ProjectID)},
	}, nil
}

func newMainAPI(s *settings) (*mainapi.Client, error) {
	base, err := s.mainBase()
	key := s.secret("secretKey")
	err = cmp.Or(err, credentialError("access key id", string(s.AccessKeyID), "Main API"), credentialError("secret key", key, "Main API"))
	if err == nil && !canBeHeader(s.TimestampHeader) {
		err = settingsError("The setting Timestamp header is not a name that the header of the signature's time can have. " +
			"Write for example X-Vendor-Timestamp in the data source's settings, section Main API.")
	}
	if err != nil {
		return nil, err
	}
	sign, err := mainapi.NewSigner(string(s.AccessKeyID), key, string(s.TimestampHeader), time.Now)
	if err != nil {
		return nil, settingsError(err.Error() + " Set it in the data source's settings, section Main API.")
	}
	client, err := connect(transportOptions(s, transport.Service{
		Name: "mainapi", Title: "The main API", Credential: "access key", Section: "Main API", Signed: true,
		Secrets: []string{key}, Host: base.Host,
	}, sign))
	if err != nil {
		return nil, err
	}
	return mainapi.New(mainapi.Config{
		Transport: client, Base: base, ProjectID: string(s.ProjectID), OrganizationID: string(s.OrganizationID),
	}), nil
}
