package plugin

import (
	"cmp"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func newMainAPIService(s *settings) service[*mainapi.Client] {
	service := service[*mainapi.Client]{configured: s.AccessKeyID != "" || s.secretKey != ""}
	base, err := s.mainBase()
	err = cmp.Or(err, credentialError("access key id", string(s.AccessKeyID), "Main API"), credentialError("secret key", s.secretKey, "Main API"))
	if err == nil && !canBeHeader(s.TimestampHeader) {
		err = settingsError("The setting Timestamp header is not a name that the header of the signature's time can have. " +
			"Write for example X-Vendor-Timestamp in the data source's settings, section Main API.")
	}
	if service.err = err; err != nil {
		return service
	}
	sign, err := mainapi.NewSigner(string(s.AccessKeyID), s.secretKey, string(s.TimestampHeader), time.Now)
	if err != nil {
		service.err = settingsError(err.Error() + " Set it in the data source's settings, section Main API.")
		return service
	}
	client, err := transport.New(transportOptions(s, transport.Service{
		Name: "mainapi", Title: "The main API", Credential: "access key", Advice: adviceOn("Main API", false), Signed: true,
		Secrets: []string{s.secretKey}, Host: base.Host,
	}, sign))
	if err != nil {
		service.err = errTLS
		return service
	}
	service.client = mainapi.New(mainapi.Config{
		Transport: client, Base: base, MaxBytes: s.maxResponse, ProjectID: string(s.ProjectID), OrganizationID: string(s.OrganizationID),
	})
	return service
}
