package gateway_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestUpload_Refused(t *testing.T) {
	c := start(t, platform.Config{MaxUpload: 5000})
	for name, tc := range map[string]struct {
		purpose, file, content string
		status                 int
		param                  string
	}{
		"JSON Lines":               {"fine-tune", "a.jsonl", "{\"a\":1}\n\n{\"a\":2}", 200, ""},
		"another purpose":          {"assistants", "a.jsonl", "{}", 400, "purpose"},
		"no purpose":               {"", "a.jsonl", "{}", 400, "purpose"},
		"no file":                  {"fine-tune", "", "", 400, "file"},
		"a file that is too large": {"fine-tune", "a.jsonl", strings.Repeat("{}\n", 2000), 413, "file"},
	} {
		status, o := c.upload(tc.purpose, tc.file, tc.content)
		if status != tc.status || o.Object("error").Text("param") != tc.param {
			t.Errorf("%s: %d %v", name, status, o)
		}
		if status != 200 {
			continue
		}
		if o["bytes"] != float64(len(tc.content)) || o["purpose"] != "fine-tune" || o["filename"] != tc.file {
			t.Errorf("%s: %v", name, o)
		}
	}
	if response := c.send("POST", "files", "application/json", strings.NewReader("{}")); response.StatusCode != 400 {
		t.Errorf("no form: status %d", response.StatusCode)
	}
}

func TestUpload_TooLargeIsRefusedUnread(t *testing.T) {
	c := start(t, platform.Config{})
	reader, writer := io.Pipe()
	defer func() { _ = writer.Close() }()
	r, _ := http.NewRequest(http.MethodPost, c.Server.URL+platform.TuningPath+"/v1/files", reader)
	r.ContentLength = 3<<30 + 1<<20
	r.Header.Set("Authorization", "Bearer "+c.Config().InferenceAPIKey)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	response, err := c.Server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if status, o := c.decode(response); status != 413 || !strings.Contains(o.Object("error").Text("message"), "3 GB") {
		t.Errorf("%d %v", status, o)
	}
}

func TestUpload_Memory(t *testing.T) {
	c := start(t, platform.Config{})
	const size = 48 << 20
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	go func() {
		_ = form.WriteField("purpose", "fine-tune")
		part, _ := form.CreateFormFile("file", "large.jsonl")
		block := bytes.Repeat([]byte(`{"text":"0123456789abcdef"}    `+"\n"), 1<<12)
		for sent := 0; sent < size; sent += len(block) {
			_, _ = part.Write(block)
		}
		_ = writer.CloseWithError(form.Close())
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status, o := c.decode(c.send("POST", "files", form.FormDataContentType(), reader))
	runtime.ReadMemStats(&after)
	if status != 200 || o["bytes"] != float64(size) {
		t.Fatalf("%d %v", status, o)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
}

func TestCheckpoint_Large(t *testing.T) {
	c := start(t, platform.Config{})
	response := c.send("GET", "files/"+platform.LargeCheckpointID+"/content", "", nil)
	if response.StatusCode != 200 || response.ContentLength < 1<<30 || response.Header.Get("Content-Encoding") != "" {
		t.Fatalf("status %d, %d bytes, %v", response.StatusCode, response.ContentLength, response.Header)
	}
	if n, err := io.CopyN(io.Discard, response.Body, 8<<20); err != nil || n != 8<<20 {
		t.Errorf("%d bytes: %v", n, err)
	}
}

func TestCheckpoint_Missing(t *testing.T) {
	c := start(t, platform.Config{})
	id := strings.TrimPrefix(c.create("new").Text("id"), "ftjob-")
	for _, checkpoint := range []string{"ftckpt-" + id + "-01", "ftckpt-" + id + "-1", "ftckpt-" + id, "ftckpt-", "ftckpt-" + id + "--1"} {
		if response := c.send("GET", "files/"+checkpoint+"/content", "", nil); response.StatusCode != 404 {
			t.Errorf("%s: status %d", checkpoint, response.StatusCode)
		}
	}
}
