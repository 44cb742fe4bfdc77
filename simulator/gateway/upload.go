package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

const (
	keptContent = 1 << 20  // bytes of an upload that are kept, and looked at
	maxFraming  = 64 << 10 // bytes of a request that aren't the file
)

var errTooLarge = errors.New("the file is too large")

// received is what is left of an uploaded file once it has gone by.
type received struct {
	name  string
	size  int64
	start []byte // up to keptContent
	end   []byte // the last four bytes
}

// upload takes a file in. It reads it once and keeps nothing of it but its beginning.
func (g *Gateway) upload(w http.ResponseWriter, r *http.Request) {
	parts, err := r.MultipartReader()
	if err != nil {
		g.refuse(w, invalid("", "An upload is multipart/form-data: "+err.Error()))
		return
	}
	if r.ContentLength > g.config.MaxUpload+maxFraming {
		g.refuseLarge(w)
		return
	}
	purpose, got, err := g.receive(parts)
	switch {
	case errors.Is(err, errTooLarge):
		g.refuseLarge(w)
		return
	case err != nil:
		g.refuse(w, invalid("", "The upload could not be read: "+err.Error()))
		return
	case got == nil:
		g.refuse(w, invalid("file", "file is required."))
		return
	case purpose != fineTune:
		g.refuse(w, invalid("purpose", fmt.Sprintf("purpose must be fine-tune, not %q.", purpose)))
		return
	}
	if problem := got.problem(); problem != "" {
		g.refuse(w, failure{http.StatusBadRequest, problem, "file", "invalid_file_format"})
		return
	}
	f := &file{
		id: fmt.Sprintf("file-%016x", scenario.Mix(uint64(g.now()), g.number(), 71)), name: got.name, purpose: purpose,
		created: g.now(), bytes: got.size,
	}
	if got.size == int64(len(got.start)) {
		f.content = got.start
	}
	g.mu.Lock()
	g.uploads = append(g.uploads, f)
	g.mu.Unlock()
	g.write(w, http.StatusOK, f.record())
}

func (g *Gateway) refuseLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close") // the rest of the upload is not read
	limit := fmt.Sprintf("%d bytes", g.config.MaxUpload)
	if g.config.MaxUpload%(1<<30) == 0 {
		limit = fmt.Sprintf("%d GB", g.config.MaxUpload>>30)
	}
	g.refuse(w, failure{http.StatusRequestEntityTooLarge, "File is too large: at most " + limit + " can be uploaded.", "file", "file_too_large"})
}

// receive reads the parts of an upload, in whatever order they come.
func (g *Gateway) receive(parts *multipart.Reader) (purpose string, got *received, err error) {
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return purpose, got, nil
		}
		if err != nil {
			return purpose, got, err
		}
		switch part.FormName() {
		case "purpose":
			value, err := io.ReadAll(io.LimitReader(part, 256))
			if err != nil {
				return purpose, got, err
			}
			purpose = string(value)
		case "file":
			if got, err = readFile(part, g.config.MaxUpload); err != nil {
				return purpose, got, err
			}
		}
	}
}

func readFile(part *multipart.Part, most int64) (*received, error) {
	got := &received{name: part.FileName()}
	piece := make([]byte, 64<<10)
	for {
		n, err := part.Read(piece)
		got.size += int64(n)
		if got.size > most {
			return nil, errTooLarge
		}
		got.start = append(got.start, piece[:min(n, keptContent-len(got.start))]...)
		got.end = append(got.end, piece[max(0, n-4):n]...)
		got.end = got.end[max(0, len(got.end)-4):]
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// parquet is how a Parquet file begins and ends: https://parquet.apache.org/docs/file-format/
var parquet = []byte("PAR1")

// problem returns why a file is neither Parquet nor JSON Lines, or "". Of a large file only the beginning
// is looked at.
func (f *received) problem() string {
	if bytes.HasPrefix(f.start, parquet) {
		if f.size < 12 || !bytes.Equal(f.end, parquet) {
			return "The Parquet file is not complete."
		}
		return ""
	}
	lines := bytes.Split(f.start, []byte("\n"))
	if f.size > int64(len(f.start)) && len(lines) > 1 {
		lines = lines[:len(lines)-1] // the last one goes on where nobody looked
	}
	filled := 0
	for i, line := range lines {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		filled++
		if line[0] != '{' || !json.Valid(line) {
			return fmt.Sprintf("Expected JSON Lines or Parquet: line %d is not a JSON object.", i+1)
		}
	}
	if filled == 0 {
		return "The file is empty."
	}
	return ""
}
