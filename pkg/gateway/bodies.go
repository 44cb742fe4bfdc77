package gateway

import (
	"errors"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// errMalformed is the error of a body without the wanted data.
var errMalformed = errors.New("other data than wanted")

// explainBody makes the error of reading a body a *transport.Error. members are those of an error body with the status 200, if it is one.
func (c *Client) explainBody(err error, members record, wanted string) error {
	var failed *transport.Error
	service := c.Transport.Service
	switch {
	case err == nil, errors.As(err, &failed):
		return err
	case errors.Is(err, query.ErrValueTooLong):
		return service.TooLarge("sent " + query.ErrValueTooLong.Error() + ".")
	}
	isOther := errors.Is(err, errMalformed) || errors.Is(err, query.ErrNotAList) || errors.Is(err, query.ErrRootNotAList)
	if failure := service.FromErrorBody(members); failure != nil && isOther {
		return failure
	}
	return service.Malformed(http.StatusOK, "sent something other than "+wanted+". Check the gateway address in the data source's settings, section Fine-tuning.")
}
