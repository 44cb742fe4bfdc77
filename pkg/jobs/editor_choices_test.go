package jobs_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func TestChoices(t *testing.T) {
	g := &gateway{
		jobs: []any{
			job("a", object{"suffix": "support", "status": "defragmenting", "created_at": ago(4 * time.Hour)}),
			job("b", object{"fine_tuned_model": "ft:b"}), object{"id": "c", "status": "running"}, object{"status": "running"},
		},
	}
	client := newClient(t, g)
	found, err := client.Jobs(context.Background())
	require.NoError(t, err)
	require.Equal(t, []jobs.JobChoice{
		{ID: "b", Name: "ft:b", Model: "llama-8b", Status: "succeeded"},
		{ID: "a", Name: "support", Model: "llama-8b", Status: "defragmenting"},
		{ID: "c", Name: "c", Status: "running"},
	}, found)

	statuses, err := client.Statuses(context.Background())
	require.NoError(t, err)
	require.Contains(t, statuses, jobs.StatusChoice{Status: "running", Jobs: 2})
	require.Contains(t, statuses, jobs.StatusChoice{Status: "cancelled"})
	require.Equal(t, jobs.StatusChoice{Status: "defragmenting", Jobs: 1}, statuses[len(statuses)-1])

	models, err := client.Models(context.Background())
	require.NoError(t, err)
	require.Equal(t, []jobs.ModelChoice{{ID: "llama-8b", Jobs: 2}}, models)
}

func TestCheck_OneRequest(t *testing.T) {
	g := &gateway{jobs: manyJobs(5)}
	requested, err := newClient(t, g).Check(context.Background())
	require.NoError(t, err)
	require.Equal(t, "the list of jobs", requested)
	require.Len(t, g.requested, 1)

	g = &gateway{handle: func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/v1/models" {
			return false
		}
		fail(w, http.StatusNotFound, "no")
		return true
	}}
	requested, err = newClient(t, g).Check(context.Background())
	require.NoError(t, err)
	require.Equal(t, "the list of models", requested)

	_, err = newClient(t, &gateway{handle: func(w http.ResponseWriter, _ *http.Request) bool {
		fail(w, http.StatusNotFound, "no")
		return true
	}}).Check(context.Background())
	require.ErrorIs(t, err, transport.ErrNotFound)
	require.ErrorContains(t, err, "was not found on the platform (404). Check its address, and the ids in it, in the data source's settings.")
}

func TestDownload(t *testing.T) {
	var accept, encoding string
	g := &gateway{handle: func(w http.ResponseWriter, r *http.Request) bool {
		accept, encoding = r.Header.Get("Accept"), r.Header.Get("Accept-Encoding")
		switch r.URL.Path {
		case "/v1/files/ckpt-1/content":
			w.Header().Set("Content-Type", "application/zip")
			_, _ = w.Write([]byte("PK archive"))
		case "/v1/files/cut/content":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("PK"))
		case "/v1/files/cut later/content":
			w.Header().Set("Content-Length", "10000")
			_, _ = w.Write(bytes.Repeat([]byte("PK"), 1000))
		case "/v1/files/nothing/content":
			w.Header().Set("Content-Length", "0")
		case "/v1/files/page/content":
			_, _ = w.Write([]byte("<p>Sign in</p>"))
		case "/v1/files/failure/content":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"error":{"message":"no"}}`))
		case "/v1/files/packed/content":
			w.Header().Set("Content-Encoding", "GZIP")
			packed := gzip.NewWriter(w)
			_, _ = packed.Write([]byte("PK archive"))
			_ = packed.Close()
		default:
			return false
		}
		return true
	}}
	client := newClient(t, g)
	content, err := client.Download(context.Background(), "ckpt-1")
	require.NoError(t, err)
	defer func() { require.NoError(t, content.Body.Close()) }()
	body, err := io.ReadAll(content.Body)
	require.NoError(t, err)
	require.Equal(t, "PK archive", string(body))
	require.EqualValues(t, 10, content.Size)
	require.Equal(t, "application/json", accept)
	require.Equal(t, "identity", encoding)

	_, err = client.Download(context.Background(), "gone")
	require.ErrorIs(t, err, transport.ErrNotFound)
	require.ErrorContains(t, err, "no content for this checkpoint")

	_, err = client.Download(context.Background(), "cut")
	require.ErrorIs(t, err, transport.ErrMalformed, "an empty body is an error with a status")
	truncated, err := client.Download(context.Background(), "cut later")
	require.NoError(t, err)
	defer func() { _ = truncated.Body.Close() }()
	_, err = io.ReadAll(truncated.Body)
	require.ErrorIs(t, err, transport.ErrMalformed)

	packed, err := client.Download(context.Background(), "packed")
	require.NoError(t, err)
	defer func() { require.NoError(t, packed.Body.Close()) }()
	body, err = io.ReadAll(packed.Body)
	require.NoError(t, err)
	require.Equal(t, "PK archive", string(body), "a coding that was not requested is decoded")
	require.EqualValues(t, -1, packed.Size)

	for _, id := range []string{"nothing", "page", "failure"} {
		_, err = client.Download(context.Background(), id)
		require.ErrorIs(t, err, transport.ErrMalformed, id)
		require.ErrorContains(t, err, "something other than a checkpoint's archive", id)
	}
}
