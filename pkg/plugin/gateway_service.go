package plugin

import (
	"context"
	"errors"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// gatewayService is the client of the tuning gateway.
type gatewayService struct {
	service[*jobs.Client]
	// isMain is true if the gateway's address is the main API's.
	isMain bool
}

const gatewayIsMain = settingsError("The gateway address is the main API's base address. " +
	"Set the address of the tuning gateway in the data source's settings, section Fine-tuning.")

// explainGateway names the wrong setting if the gateway's address is the main API's and a request fails with 401 or 404. A
// platform may serve both at one address, so that the address alone is no error.
func (s *gatewayService) explainGateway(err error) error {
	var failed *transport.Error
	if s.isMain && errors.As(err, &failed) && (failed.Status == http.StatusUnauthorized || failed.Status == http.StatusNotFound) {
		return gatewayIsMain
	}
	return err
}

func newGatewayService(s *settings, from backend.DataSourceInstanceSettings) gatewayService {
	base, err := s.tuningBase()
	if err == nil && s.inferenceKey == "" {
		err = settingsError("No inference API key is set. Set it in the data source's settings, section Fine-tuning.")
	}
	if err == nil {
		err = headerValueError("inference API key", s.inferenceKey, "Fine-tuning")
	}
	service := gatewayService{service[*jobs.Client]{err: err, configured: s.inferenceKey != "" || s.IntelligenceURL != ""}, s.gatewayIsMain()}
	service.explain = service.explainGateway
	if err != nil {
		return service
	}
	options := transportOptions(s, transport.Service{ //nolint:gosec // it names the credential, and holds none
		Name: "gateway", Title: "The tuning gateway", Credential: "inference API key", Advice: adviceOn("Fine-tuning", false),
		Secrets: []string{s.inferenceKey}, Host: base.Host,
	}, transport.Bearer(s.inferenceKey))
	responses, err := transport.New(options)
	options.Streaming, options.MaxResponseBytes, options.MaxConcurrent = true, 0, 0
	downloads, downloadsErr := transport.New(options)
	if err != nil || downloadsErr != nil {
		service.err = errTLS
		return service
	}
	service.client = jobs.New(jobs.Config{
		Config: gateway.Config{Transport: responses, Downloads: downloads, Base: base},
		Links:  jobs.Links{DataSourceUID: from.UID, DataSourceName: from.Name, Console: string(s.ConsoleURL), ProjectID: string(s.ProjectID)},
	})
	return service
}

// healthRequest sends the request of a health check, and describes it.
func (s *gatewayService) healthRequest(ctx context.Context) (string, error) {
	sent, err := s.client.Check(ctx)
	return sent, s.explainGateway(err)
}
