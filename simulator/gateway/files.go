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
}

func (f *file) record() record {
	return record{
		"id": f.id, "object": "file", "bytes": f.bytes, "created_at": seconds(f.created), "expires_at": nil,
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

// dataSets makes the files that jobs of the scenario were trained on.
func dataSets(begun time.Time) []*file {
	sets := make([]*file, len(setNames))
	for i, name := range setNames {
		n := uint64(i)
		sets[i] = &file{
			id: dataSetID(n), name: name + ".jsonl", purpose: fineTune, bytes: int64(200e3 + scenario.Mix(n, 62)%4e6),
			created: begun.Add(-scenario.Past).Add(time.Duration(i) * 7 * time.Hour).UnixMilli(),
		}
	}
	return sets
}

// allFiles returns all files, oldest first. They don't change any more.
func (g *Gateway) allFiles() []*file {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return slices.Concat(g.sets, g.uploads)
}

// listFiles responds with a page of files, newest first.
func (g *Gateway) listFiles(w http.ResponseWriter, r *http.Request) {
	var all []record
	for _, f := range slices.Backward(g.allFiles()) {
		all = append(all, f.record())
	}
	g.writePage(w, r, all, mostFiles, false)
}

// writeContent responds with the archive of a checkpoint. The content of other files is not kept.
func (g *Gateway) writeContent(w http.ResponseWriter, id string) {
	j, n, ok := g.checkpoint(id, g.now())
	if !ok {
		notFound("file", id).refuse(w)
		return
	}
	a := g.archive(&j, n)
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(id+".zip"))
	w.Header().Set("Content-Length", strconv.FormatInt(a.length(), 10))
	w.WriteHeader(http.StatusOK)
	_ = a.write(w) // a client that has gone needs no archive
}
