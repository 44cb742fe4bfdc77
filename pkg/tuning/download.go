package tuning

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// stalled is how long a download may go without a byte before it is given up.
const stalled = time.Minute

// Download is the content of a checkpoint as the gateway sends it.
type Download struct {
	// Body is read as it comes; its errors are *transport.Error. Whoever reads it closes it.
	Body io.ReadCloser
	// Size is in bytes, or -1 if the gateway did not say.
	Size int64
	// ContentType is the gateway's.
	ContentType string
}

// Download opens a checkpoint's content, a zip archive. It is not counted among the calls that are made at a time, because
// it may take hours. Errors are *transport.Error.
//
// Interface: GET /v1/files/<checkpoint_id>/content.
func (c *Client) Download(ctx context.Context, checkpointID string) (*Download, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	resp, err := c.openDownload(ctx, checkpointID) //nolint:bodyclose // the reader of the download closes it
	if err != nil {
		cancel(nil)
		return nil, notThere(err)
	}
	body := &watchedBody{ReadCloser: resp.Body, cancel: cancel, explain: c.Downloads.Explain}
	content, err := archive(body)
	if err != nil {
		_ = body.Close()
		return nil, c.noArchive(err)
	}
	return &Download{
		Body: struct {
			io.Reader
			io.Closer
		}{content, body},
		Size: resp.ContentLength, ContentType: resp.Header.Get("Content-Type"),
	}, nil
}

func (c *Client) openDownload(ctx context.Context, checkpointID string) (*http.Response, error) {
	req, err := c.Downloads.NewGet(ctx, c.Base.JoinPath(filesPath, segment(checkpointID), "content"))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", "identity") // an archive gains nothing, and its size would be lost
	return c.Downloads.Do(req)
}

// errNoArchive is an answer that no checkpoint can be: nothing, or text.
var errNoArchive = errors.New("not an archive")

// archive looks at the beginning of an answer. A sign-in page or an error must not be saved as if it were a checkpoint.
func archive(body io.Reader) (io.Reader, error) {
	content := bufio.NewReaderSize(body, looked)
	beginning, err := content.Peek(looked)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	isZip := bytes.HasPrefix(beginning, []byte("PK"))
	isText := len(beginning) == 0 || strings.HasPrefix(http.DetectContentType(beginning), "text/")
	if isText && !isZip {
		return nil, errNoArchive
	}
	return content, nil
}

// looked is how much of an answer tells what it is, in bytes.
const looked = 512

func (c *Client) noArchive(err error) error {
	if errors.Is(err, errNoArchive) {
		return c.Downloads.Service().Malformed(http.StatusOK, "sent something other than a checkpoint's archive.")
	}
	return c.Downloads.Explain(err)
}

// notThere says what a 404 means here: the address works for everything else.
func notThere(err error) error {
	var explained *transport.Error
	if errors.As(err, &explained) && errors.Is(explained, transport.ErrNotFound) {
		return &transport.Error{Kind: transport.ErrNotFound, Status: explained.Status, Message: "The tuning gateway has no content for this checkpoint."}
	}
	return err
}

// watchedBody gives up when the gateway sends nothing for too long. Time in which nobody reads does not count: the
// reader of a download may pause.
type watchedBody struct {
	io.ReadCloser
	cancel  context.CancelCauseFunc
	explain func(error) error
}

func (b *watchedBody) Read(p []byte) (int, error) {
	watch := time.AfterFunc(stalled, func() { b.cancel(context.DeadlineExceeded) })
	n, err := b.ReadCloser.Read(p)
	watch.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.explain(err)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.cancel(nil)
	return b.ReadCloser.Close()
}
