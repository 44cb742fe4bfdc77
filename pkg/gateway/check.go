package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// unknownJobID is the id of a job that no gateway has.
const unknownJobID = "ftjob-none"

// Check makes one small request to the gateway without the cache, and describes it: the first job of the list, or the models
// if there is no list. On a gateway without any list it requests the job that the gateway last served by its id. If the path
// of jobs only accepts POST (405), it requests a job that doesn't exist, because a 404 for it shows that the key is valid.
// Errors are *transport.Error.
func (c *Client) Check(ctx context.Context) (requested string, err error) {
	first := func(path string, params url.Values) error {
		return c.get(ctx, path, params, func(response []byte) error {
			return (&page{}).read(c, response, func(string, record, int) error { return nil })
		})
	}
	err = first(jobsPath, url.Values{"limit": {"1"}})
	requested = "the list of jobs"
	onlyCreates := isMethodNotAllowed(err)
	if errors.Is(err, transport.ErrNotFound) {
		requested = "the list of models"
		err = first(modelsPath, nil)
	}
	if !errors.Is(err, transport.ErrNotFound) {
		return requested, err
	}
	if id := c.retrieved.Load(); id != nil {
		_, err = c.retrieve(ctx, *id)
		return "a job by its id", err
	}
	if onlyCreates {
		_, err = c.retrieve(ctx, unknownJobID)
		if errors.Is(err, transport.ErrBadRequest) || errors.Is(err, transport.ErrNotFound) && !isMethodNotAllowed(err) {
			err = nil
		}
		return "a request for a job", err
	}
	return requested, err
}

func isMethodNotAllowed(err error) bool {
	var explained *transport.Error
	return errors.As(err, &explained) && explained.Status == http.StatusMethodNotAllowed
}
