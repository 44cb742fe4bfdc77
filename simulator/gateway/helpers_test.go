package gateway_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/served"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// client sends requests to one platform over HTTP.
type client struct {
	*served.Platform
	t *testing.T
}

func start(t *testing.T, config platform.Config) *client {
	t.Helper()
	return &client{served.Start(t, config), t}
}

func (c *client) now() int64 { return c.Now().Unix() }

// send sends a request below /v1 with the right key.
func (c *client) send(method, path, kind string, body io.Reader) *http.Response {
	c.t.Helper()
	r, err := http.NewRequest(method, c.Server.URL+platform.TuningPath+"/v1/"+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.Config().InferenceAPIKey)
	r.Header.Set("Content-Type", kind)
	response, err := c.Server.Client().Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// object is a JSON object.
type object = served.Object

func (c *client) decode(response *http.Response) (int, object) {
	c.t.Helper()
	var o object
	if err := json.NewDecoder(response.Body).Decode(&o); err != nil {
		c.t.Fatalf("status %d: %v", response.StatusCode, err)
	}
	return response.StatusCode, o
}

// get returns a response, which must be successful.
func (c *client) get(path string) object {
	c.t.Helper()
	status, o := c.decode(c.send(http.MethodGet, path, "", nil))
	if status != http.StatusOK {
		c.t.Fatalf("%s: status %d, %v", path, status, o)
	}
	return o
}

func (c *client) post(path string, body any) (int, object) {
	c.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.decode(c.send(http.MethodPost, path, "application/json", bytes.NewReader(data)))
}

// pages reads a list to its end, and returns its records and the number of pages.
func (c *client) pages(path string, params string) (all []object, count int) {
	c.t.Helper()
	for after := ""; ; count++ {
		page := c.get(path + "?" + params + "&after=" + url.QueryEscape(after))
		data := page.List("data")
		all = append(all, data...)
		if len(data) == 0 || page["has_more"] == false {
			return all, count + 1
		}
		after = data[len(data)-1].Text("id")
	}
}

// upload uploads a file; an empty purpose or name is left out.
func (c *client) upload(purpose, name, content string) (int, object) {
	c.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if purpose != "" {
		_ = form.WriteField("purpose", purpose)
	}
	if name != "" {
		part, _ := form.CreateFormFile("file", name)
		_, _ = io.Copy(part, strings.NewReader(content))
	}
	_ = form.Close()
	return c.decode(c.send(http.MethodPost, "files", form.FormDataContentType(), &body))
}

// create starts a job on a file that is uploaded for it.
func (c *client) create(suffix string) object {
	c.t.Helper()
	_, file := c.upload("fine-tune", "a.jsonl", `{"messages":[]}`)
	status, job := c.post("fine_tuning/jobs", object{
		"model": "Qwen/Qwen3-4B", "training_file": file.Text("id"), "suffix": suffix,
		"method": object{"type": "supervised", "supervised": object{"hyperparameters": object{"n_epochs": 2, "batch_size": 8, "learning_rate": 1e-4}}},
	})
	if status != http.StatusOK {
		c.t.Fatalf("creating a job: %d %v", status, job)
	}
	return job
}

// measure returns the values of an instant query on the metrics endpoint, by pod or node pool.
func (c *client) measure(query string) map[string]string {
	c.t.Helper()
	values := map[string]string{}
	for _, series := range c.Series(c.t, query) {
		values[series.Text("pod_name")+series.Text("nodepool_name")] = series.Text("value")
	}
	return values
}
