package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// fineTune is the purpose of data to train on.
const fineTune = "fine-tune"

// file is a file of the gateway.
type file struct {
	id, name, purpose string
	created           int64 // Unix milliseconds
	bytes             int64
	content           []byte // of a small upload
	rows              int64  // of a data set, which is made when it is read
}

func (f *file) record() record {
	return record{
		"id": f.id, "object": "file", "bytes": f.bytes, "created_at": instant(f.created), "expires_at": nil,
		"filename": f.name, "purpose": f.purpose, "status": "processed", "status_details": nil,
	}
}

// The data sets that were there before: first those to train on, then those to validate with.
const (
	trainingSets   = 9
	validationSets = 3
)

var setNames = [trainingSets + validationSets]string{
	"support-conversations", "contracts-summaries", "sql-generation", "product-descriptions", "clinical-notes", "code-review",
	"tool-calls", "legal-questions", "translations", "support-holdout", "sql-holdout", "code-holdout",
}

func dataSetID(n uint64) string { return fmt.Sprintf("file-%016x", scenario.Mix(n, 61)) }

// row is a line of a data set; its length doesn't depend on the number.
const row = `{"messages":[{"role":"user","content":"Question %08d"},{"role":"assistant","content":"Answer %08d"}]}` + "\n"

// dataSets makes the files that jobs of the scenario were trained on.
func dataSets(begun time.Time) []*file {
	sets := make([]*file, len(setNames))
	for i, name := range setNames {
		n := uint64(i)
		rows := int64(2000 + scenario.Mix(n, 62)%40000)
		if i >= trainingSets {
			rows /= 10
		}
		sets[i] = &file{
			id: dataSetID(n), name: name + ".jsonl", purpose: fineTune, rows: rows, bytes: rows * int64(len(fmt.Sprintf(row, 0, 0))),
			created: begun.Add(-scenario.Past).Add(time.Duration(i) * 7 * time.Hour).UnixMilli(),
		}
	}
	return sets
}

// file returns a data set or an upload.
func (g *Gateway) file(id string) (*file, bool) {
	for _, f := range g.allFiles() {
		if f.id == id {
			return f, true
		}
	}
	return nil, false
}

// allFiles returns all files, oldest first. They don't change any more.
func (g *Gateway) allFiles() []*file {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return slices.Concat(g.sets, g.uploads)
}

// trains tells whether a job can be trained on a file.
func (g *Gateway) trains(id string) bool {
	f, ok := g.file(id)
	return ok && f.purpose == fineTune
}

// mostFiles is the largest page of files, and the usual one.
const mostFiles = 10000

func (g *Gateway) listFiles(w http.ResponseWriter, r *http.Request) {
	params := r.URL.Query()
	all := []record{}
	for _, f := range g.allFiles() {
		if purpose := params.Get("purpose"); purpose == "" || purpose == f.purpose {
			all = append(all, f.record())
		}
	}
	switch params.Get("order") {
	case "", "desc":
		slices.Reverse(all)
	case "asc":
	default:
		g.refuse(w, invalid("order", "order must be asc or desc."))
		return
	}
	g.writePage(w, r, all, mostFiles, mostFiles)
}

// writeFile answers with the record of a file. A checkpoint's id is also that of a file.
func (g *Gateway) writeFile(w http.ResponseWriter, id string) {
	if f, ok := g.file(id); ok {
		g.write(w, http.StatusOK, f.record())
		return
	}
	j, n, ok := g.checkpoint(id, g.now())
	if !ok {
		g.refuse(w, notFound("file", id))
		return
	}
	a := g.archive(&j, n)
	f := file{id: id, name: id + ".zip", purpose: "fine-tune-results", bytes: a.length(), created: j.Checkpoints(g.now())[n]}
	g.write(w, http.StatusOK, f.record())
}

// writeContent answers with what is in a file, or with the archive of a checkpoint.
func (g *Gateway) writeContent(w http.ResponseWriter, id string) {
	f, ok := g.file(id)
	switch {
	case !ok:
		j, n, found := g.checkpoint(id, g.now())
		if !found {
			g.refuse(w, notFound("file", id))
			return
		}
		a := g.archive(&j, n)
		begin(w, id+".zip", "application/zip", a.length())
		_ = a.write(w) // a client that has gone needs no archive
	case f.rows == 0 && f.content == nil:
		g.refuse(w, failure{http.StatusNotFound, "The content of " + id + " was too large to be kept.", "", "content_not_kept"})
	default:
		begin(w, f.name, "application/octet-stream", f.bytes)
		_, _ = w.Write(f.content)
		for n := range f.rows {
			if _, err := fmt.Fprintf(w, row, n, n); err != nil {
				return
			}
		}
	}
}

func begin(w http.ResponseWriter, name, kind string, bytes int64) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(name))
	w.Header().Set("Content-Length", strconv.FormatInt(bytes, 10))
	w.WriteHeader(http.StatusOK)
}
