package plugin

import (
	"context"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// platformService is the main API's client, or why there is none.
type platformService struct {
	client *platform.Client
	// err is what is wrong with the service's settings.
	err error
	// configured tells whether anything of the service was set up at all.
	configured bool
}

func newPlatformService(s *settings) platformService {
	service := platformService{configured: s.accessKeyID != "" || s.secretKey != ""}
	base, err := s.mainBase()
	var signer *platform.Signer
	switch {
	case err != nil:
	case s.accessKeyID == "":
		err = settingsError("No access key id is set. Set it in the data source's settings, section Main API.")
	case s.secretKey == "":
		err = settingsError("No secret key is set. Set it in the data source's settings, section Main API.")
	case !s.hasTimestampHeader():
		err = settingsError("The setting Timestamp header is not a name that the header of the signature's time can have. " +
			"Write for example X-Vendor-Timestamp in the data source's settings, section Main API.")
	default:
		if err = headerValueError("access key id", s.accessKeyID, "Main API"); err != nil {
			break
		}
		if signer, err = platform.NewSigner(s.accessKeyID, s.secretKey, s.timestampHeader, time.Now); err != nil {
			err = settingsError(err.Error() + " Set it in the data source's settings, section Main API.")
		}
	}
	if err != nil {
		service.err = err
		return service
	}
	client, err := transport.New(transport.Options{
		HTTP: s.http,
		Service: transport.Service{
			Name: "main", Title: "The main API", Credential: "access key", Section: "Main API", AccountWide: true, Signed: true,
			Secrets: []string{s.secretKey}, Host: base.Host, Private: s.secrets,
		},
		Authorize:        signer.Authorize,
		MaxResponseBytes: s.maxResponse,
		MaxConcurrent:    s.maxConcurrent,
	})
	if err != nil {
		service.err = unusableTLS
		return service
	}
	service.client = platform.New(platform.Config{
		Transport: client, Base: base, MaxBytes: s.maxResponse, ProjectID: s.projectID, OrganizationID: s.organizationID,
	})
	return service
}

func (s *platformService) capacities(ctx context.Context, r request) (data.Frames, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.client.QueryCapacities(ctx, r.DataQuery, r.plain)
}

func (s *platformService) list(ctx context.Context, r request) (data.Frames, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.client.QueryList(ctx, r.DataQuery, r.plain)
}

func (s *platformService) check(ctx context.Context) check {
	return measure("Main API", s.configured, s.err, func() (string, error) { return "a signed request", s.client.Check(ctx) })
}
