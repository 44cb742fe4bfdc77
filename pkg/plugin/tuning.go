package plugin

import (
	"context"
	"errors"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
)

// tuningService is the fine-tuning client, or why there is none.
type tuningService struct {
	client *tuning.Client
	// err is what is wrong with the service's settings.
	err error
	// configured tells whether anything of the service was set up at all.
	configured bool
	// isMain tells that the gateway's address is the main API's.
	isMain bool
}

const gatewayIsMain = settingsError("The gateway address is the main API's base address. " +
	"Set the address of the tuning gateway in the data source's settings, section Fine-tuning.")

// explain names the setting that is wrong where the main API was asked in place of the gateway. A platform may have both
// at one address, so only a refusal says that.
func (s *tuningService) explain(err error) error {
	var failure *transport.Error
	if s.isMain && errors.As(err, &failure) && (failure.Status == http.StatusUnauthorized || failure.Status == http.StatusNotFound) {
		return gatewayIsMain
	}
	return err
}

func newTuningService(s *settings, from backend.DataSourceInstanceSettings) tuningService {
	base, err := s.tuningBase()
	if err == nil && s.inferenceKey == "" {
		err = settingsError("No inference API key is set. Set it in the data source's settings, section Fine-tuning.")
	}
	if err == nil {
		err = headerValueError("inference API key", s.inferenceKey, "Fine-tuning")
	}
	service := tuningService{err: err, configured: s.inferenceKey != "" || s.intelligenceURL != "", isMain: s.gatewayIsMain()}
	if err != nil {
		return service
	}
	options := transport.Options{
		HTTP: s.http,
		Service: transport.Service{ //nolint:gosec // it names the credential, and holds none
			Name: "tuning", Title: "The tuning gateway", Credential: "inference API key", Section: "Fine-tuning", AccountWide: true,
			Secrets: []string{s.inferenceKey}, Host: base.Host, Private: s.secrets,
		},
		Authorize:        transport.Bearer(s.inferenceKey),
		MaxResponseBytes: s.maxResponse,
		MaxConcurrent:    s.maxConcurrent,
	}
	answers, err := transport.New(options)
	options.Streaming, options.MaxResponseBytes, options.MaxConcurrent = true, 0, 0
	downloads, downloadsErr := transport.New(options)
	if err != nil || downloadsErr != nil {
		service.err = unusableTLS
		return service
	}
	service.client = tuning.New(tuning.Config{
		Transport: answers,
		Downloads: downloads,
		Base:      base,
		Links: tuning.Links{
			DataSourceUID: from.UID, DataSourceName: from.Name, Console: s.consoleURL, ProjectID: s.projectID,
		},
	})
	return service
}

// answering is the handler of a query type.
func (s *tuningService) answering(queryType string) func(context.Context, request) (data.Frames, error) {
	return func(ctx context.Context, r request) (data.Frames, error) {
		if s.err != nil {
			return nil, s.err
		}
		frames, err := s.client.QueryData(ctx, queryType, r.DataQuery, r.plain)
		return frames, s.explain(err)
	}
}

func (s *tuningService) check(ctx context.Context) check {
	return measure("Fine-tuning", s.configured, s.err, func() (string, error) {
		asked, err := s.client.Check(ctx)
		return asked, s.explain(err)
	})
}
