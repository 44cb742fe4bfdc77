package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
)

const (
	// maxPage is the largest page of jobs, events and checkpoints. A larger limit is lowered to it, unless Config.MaxLimit is set.
	maxPage = 100
	// mostFiles is the largest page of files, and the usual one.
	mostFiles = 10000
)

// writePage responds with the requested page of all records. Each has an "id". It says that there are more if that is so, or always.
func (g *Gateway) writePage(w http.ResponseWriter, r *http.Request, all []record, usual int, more bool) {
	limit, problem := g.limit(r.URL.Query().Get("limit"), usual)
	if problem != "" {
		invalid("limit", problem).refuse(w)
		return
	}
	if after := r.URL.Query().Get("after"); after != "" {
		i := slices.IndexFunc(all, func(one record) bool { return one["id"] == after })
		if i < 0 {
			invalid("after", "after names no record of this list: "+after).refuse(w)
			return
		}
		all = all[i+1:]
	}
	end := min(limit, len(all))
	respond.JSON(w, http.StatusOK, record{"object": "list", "data": all[:end], "has_more": more || end < len(all)})
}

// limit reads how many records a page has, or returns why it can't.
func (g *Gateway) limit(text string, usual int) (limit int, problem string) {
	if text == "" {
		return usual, ""
	}
	limit, err := strconv.Atoi(text)
	switch {
	case err != nil || limit < 1:
		return 0, "limit must be a positive integer, not " + strconv.Quote(text) + "."
	case g.config.MaxLimit > 0 && limit > g.config.MaxLimit:
		return 0, fmt.Sprintf("limit must be at most %d.", g.config.MaxLimit)
	}
	return min(limit, max(usual, maxPage)), ""
}
