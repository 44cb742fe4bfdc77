package gateway

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// stallTimeout is the time without a byte after which a download is canceled.
const stallTimeout = time.Minute

// beginning is how much of a download has to arrive for it to begin, in bytes, unless it is shorter.
const beginning = 512

// Download is the content of a checkpoint.
type Download struct {
	// Body is streamed. Its errors are *transport.Error. The caller closes it.
	Body io.ReadCloser
	// Size is in bytes, or -1 if it is unknown.
	Size int64
}

// Download opens a checkpoint's content, a zip archive. It does not count for the limit of concurrent requests, because it
// may take hours. Errors are *transport.Error.
//
// Interface: GET /v1/files/<checkpoint_id>/content.
func (c *Client) Download(ctx context.Context, checkpointID string) (*Download, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	resp, err := c.Downloads.Send(ctx, c.Base.JoinPath(filesPath, segment(checkpointID), "content"), nil) //nolint:bodyclose // the reader of the download closes it
	if err != nil {
		cancel(nil)
		var missing *transport.Error
		if errors.As(err, &missing) && errors.Is(missing, transport.ErrNotFound) {
			// Unlike other 404s, it is not due to the address.
			err = &transport.Error{Kind: transport.ErrNotFound, Status: missing.Status, Message: "The tuning gateway has no content for this checkpoint."}
		}
		return nil, err
	}
	body := &stallTimeoutBody{ReadCloser: resp.Body, cancel: cancel, explain: c.Downloads.Explain}
	content := bufio.NewReaderSize(body, beginning)
	first, err := content.Peek(beginning)
	if err == nil || errors.Is(err, io.EOF) {
		err = nil
		// A sign-in page or an error is not saved as a checkpoint.
		if !bytes.HasPrefix(first, []byte("PK")) {
			err = c.Downloads.Service.Malformed(http.StatusOK, "sent something other than a checkpoint's archive.")
		}
	}
	if err != nil {
		_ = body.Close()
		return nil, err
	}
	return &Download{
		Body: struct {
			io.Reader
			io.Closer
		}{content, body},
		Size: resp.ContentLength,
	}, nil
}

// stallTimeoutBody cancels the request if a Read takes longer than stallTimeout. The time between reads does not count,
// because the user may pause the download.
type stallTimeoutBody struct {
	io.ReadCloser
	cancel  context.CancelCauseFunc
	explain func(error) error
}

func (b *stallTimeoutBody) Read(p []byte) (int, error) {
	watch := panics.AfterFunc(stallTimeout, func() { b.cancel(context.DeadlineExceeded) })
	n, err := b.ReadCloser.Read(p)
	watch.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.explain(err)
	}
	return n, err
}

func (b *stallTimeoutBody) Close() error {
	b.cancel(nil)
	return b.ReadCloser.Close()
}
