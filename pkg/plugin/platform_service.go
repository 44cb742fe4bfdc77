package plugin

import (
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func newPlatformService(s *settings) service[*platform.Client] {
	service := service[*platform.Client]{configured: s.accessKeyID != "" || s.secretKey != ""}
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
	client, err := transport.New(transportOptions(s, transport.Service{
		Name: "main", Title: "The main API", Credential: "access key", Section: "Main API", AccountWide: true, Signed: true,
		Secrets: []string{s.secretKey}, Host: base.Host,
	}, signer.Authorize))
	if err != nil {
		service.err = errTLS
		return service
	}
	service.client = platform.New(platform.Config{
		Transport: client, Base: base, MaxBytes: s.maxResponse, ProjectID: s.projectID, OrganizationID: s.organizationID,
	})
	return service
}
