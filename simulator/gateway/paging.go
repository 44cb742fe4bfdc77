package gateway

import (
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

// maxPage is the largest page of jobs, events and checkpoints; larger ones are cut to it.
const maxPage = 100

func readCursor(params url.Values, usual, most int) (cursor, *failure) {
	c := cursor{params.Get("after"), usual}
	if text := params.Get("limit"); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 {
			f := invalid("limit", "limit must be a positive integer, not "+strconv.Quote(text)+".")
			return c, &f
		}
		c.limit = min(limit, most)
	}
	return c, nil
}

// list is a page of records.
type list struct {
	Object  string   `json:"object"`
	Data    []record `json:"data"`
	HasMore bool     `json:"has_more"`
}

// writePage answers with the page of all records that the request asks for. Each has an "id".
func writePage(w http.ResponseWriter, r *http.Request, all []record, usual, most int) {
	c, problem := readCursor(r.URL.Query(), usual, most)
	if problem != nil {
		refuse(w, *problem)
		return
	}
	if c.after != "" {
		i := slices.IndexFunc(all, func(one record) bool { return one["id"] == c.after })
		if i < 0 {
			refuse(w, invalid("after", "after names no record of this list: "+c.after))
			return
		}
		all = all[i+1:]
	}
	end := min(c.limit, len(all))
	write(w, http.StatusOK, list{"list", append([]record{}, all[:end]...), end < len(all)})
}
