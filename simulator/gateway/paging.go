package gateway

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// cursor is what a request says about the page it wants.
type cursor struct {
	after string // id of the last record of the page before; "" for the first page
	limit int
}

// maxPage is the largest page of jobs, events and checkpoints. A larger limit is lowered to it, unless Config.MaxLimit is set.
const maxPage = 100

func (g *Gateway) readCursor(params url.Values, usual, most int) (cursor, *failure) {
	c := cursor{params.Get("after"), usual}
	if text := params.Get("limit"); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 {
			f := invalid("limit", "limit must be a positive integer, not "+strconv.Quote(text)+".")
			return c, &f
		}
		if g.config.MaxLimit > 0 && limit > g.config.MaxLimit {
			f := invalid("limit", fmt.Sprintf("limit must be at most %d.", g.config.MaxLimit))
			return c, &f
		}
		c.limit = min(limit, most)
	}
	return c, nil
}

// writePage responds with the requested page of all records. Each has an "id".
func (g *Gateway) writePage(w http.ResponseWriter, r *http.Request, all []record, usual, most int) {
	c, problem := g.readCursor(r.URL.Query(), usual, most)
	if problem != nil {
		problem.refuse(w)
		return
	}
	if c.after != "" {
		i := slices.IndexFunc(all, func(one record) bool { return one["id"] == c.after })
		if i < 0 {
			invalid("after", "after names no record of this list: "+c.after).refuse(w)
			return
		}
		all = all[i+1:]
	}
	end := min(c.limit, len(all))
	write(w, http.StatusOK, record{"object": "list", "data": all[:end], "has_more": end < len(all)})
}
