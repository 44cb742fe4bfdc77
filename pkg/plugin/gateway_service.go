package plugin

import (
	"cmp"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// gatewayService is the client of the tuning gateway.
type gatewayService struct{ service[*jobs.Client] }

// gatewayAdvice names the wrong setting if the gateway's address is the main API's. A platform may serve both at one address, so that the
// address alone is no error.
func gatewayAdvice(s *settings) transport.Advice {
	advice := adviceOn("Fine-tuning", false)
	if s.gatewayIsMain() {
		advice.Address = "The gateway address is the main API's base address. Set that of the tuning gateway in the data source's settings, section Fine-tuning."
		advice.Credential = advice.Address
	}
	return advice
}

func newGatewayService(s *settings, from backend.DataSourceInstanceSettings) gatewayService {
	base, err := s.tuningBase()
	err = cmp.Or(err, credentialError("inference API key", s.inferenceKey, "Fine-tuning"))
	service := gatewayService{service[*jobs.Client]{err: err, configured: s.inferenceKey != "" || s.IntelligenceURL != ""}}
	if err != nil {
		return service
	}
	options := transportOptions(s, transport.Service{ //nolint:gosec // it names the credential, and holds none
		Name: "gateway", Title: "The tuning gateway", Credential: "inference API key", Advice: gatewayAdvice(s),
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
