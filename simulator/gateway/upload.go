package gateway

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// maxFraming is the most bytes of an upload's request beside the file.
const maxFraming = 64 << 10

// upload reads a file of at most Config.MaxUpload bytes and keeps its record, not its content.
func (g *Gateway) upload(w http.ResponseWriter, r *http.Request) {
	tooLarge := failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("File is too large: at most %.2g GB can be uploaded.", float64(g.config.MaxUpload)/(1<<30)), "file", "file_too_large"}
	if r.ContentLength > g.config.MaxUpload+maxFraming {
		w.Header().Set("Connection", "close") // the rest of the upload is not read
		tooLarge.refuse(w)
		return
	}
	f := &file{created: g.now()}
	parts, err := r.MultipartReader()
	if err == nil {
		err = f.receive(parts, g.config.MaxUpload)
	}
	switch {
	case f.bytes > g.config.MaxUpload:
		tooLarge.refuse(w)
	case err != nil:
		invalid("", "The upload could not be read: "+err.Error()).refuse(w)
	case f.name == "":
		invalid("file", "file is required.").refuse(w)
	case f.purpose != fineTune:
		invalid("purpose", fmt.Sprintf("purpose must be fine-tune, not %q.", f.purpose)).refuse(w)
	default:
		f.id = fmt.Sprintf("file-%016x", scenario.Mix(uint64(f.created), g.number(), 71))
		g.mu.Lock()
		g.uploads = append(g.uploads, f)
		g.mu.Unlock()
		write(w, http.StatusOK, f.record())
	}
}

// receive reads the parts of an upload, in any order, and at most one byte too many.
func (f *file) receive(parts *multipart.Reader, maxBytes int64) error {
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch part.FormName() {
		case "purpose":
			value, err := io.ReadAll(io.LimitReader(part, 256))
			if err != nil {
				return err
			}
			f.purpose = string(value)
		case "file":
			f.name = part.FileName()
			if f.bytes, err = io.Copy(io.Discard, io.LimitReader(part, maxBytes+1)); err != nil || f.bytes > maxBytes {
				return err
			}
		}
	}
}
