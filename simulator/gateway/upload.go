package gateway

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// upload reads a file and keeps its record, not its content.
func (g *Gateway) upload(w http.ResponseWriter, r *http.Request) {
	f := &file{created: g.now()}
	parts, err := r.MultipartReader()
	if err == nil {
		err = f.receive(parts)
	}
	switch {
	case err != nil:
		invalid("", "The upload could not be read: "+err.Error()).refuse(w)
	case f.purpose != fineTune:
		invalid("purpose", fmt.Sprintf("purpose must be fine-tune, not %q.", f.purpose)).refuse(w)
	default:
		f.id = fmt.Sprintf("file-%016x", scenario.Mix(uint64(f.created), g.serial.Add(1), 71))
		g.mu.Lock()
		g.uploads = append(g.uploads, f)
		g.mu.Unlock()
		respond.JSON(w, http.StatusOK, f.record())
	}
}

// receive reads the parts of an upload, in any order.
func (f *file) receive(parts *multipart.Reader) error {
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
			var value []byte
			value, err = io.ReadAll(io.LimitReader(part, 256))
			f.purpose = string(value)
		case "file":
			f.name = part.FileName()
			f.bytes, err = io.Copy(io.Discard, part)
		}
		if err != nil {
			return err
		}
	}
}
