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
	service[*tuning.Client]
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
	created := tuningService{service[*tuning.Client]{err: err, configured: s.inferenceKey != "" || s.intelligenceURL != ""}, s.gatewayIsMain()}
	if err != nil {
		return created
	}
	options := transportOptions(s, transport.Service{ //nolint:gosec // it names the credential, and holds none
		Name: "tuning", Title: "The tuning gateway", Credential: "inference API key", Section: "Fine-tuning", AccountWide: true,
		Secrets: []string{s.inferenceKey}, Host: base.Host,
	}, transport.Bearer(s.inferenceKey))
	answers, err := transport.New(options)
	options.Streaming, options.MaxResponseBytes, options.MaxConcurrent = true, 0, 0
	downloads, downloadsErr := transport.New(options)
	if err != nil || downloadsErr != nil {
		created.err = unusableTLS
		return created
	}
	created.client = tuning.New(tuning.Config{
		Transport: answers,
		Downloads: downloads,
		Base:      base,
		Links: tuning.Links{
			DataSourceUID: from.UID, DataSourceName: from.Name, Console: s.consoleURL, ProjectID: s.projectID,
		},
	})
	return created
}

// answering is the handler of a query type.
func (s *tuningService) answering(queryType string) func(context.Context, request) (data.Frames, error) {
	return s.service.answering(func(c *tuning.Client, ctx context.Context, q backend.DataQuery, plain bool) (data.Frames, error) {
		frames, err := c.QueryData(ctx, queryType, q, plain)
		return frames, s.explain(err)
	})
}

// healthRequest sends the request of a health check, and describes it.
func (s *tuningService) healthRequest(ctx context.Context) (string, error) {
	sent, err := s.client.Check(ctx)
	return sent, s.explain(err)
}
