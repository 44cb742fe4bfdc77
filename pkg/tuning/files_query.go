package tuning

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// queryFiles is a table of files, newest first.
func (c *Client) queryFiles(ctx context.Context, q *parsedQuery) (data.Frames, error) {
	var files []File
	if q.Purposes.Blank {
		q.notices.Warn(query.BlankNotice, "Purpose")
	} else {
		found, err := c.listFiles(ctx)
		if err != nil {
			return nil, c.explain(err)
		}
		if found.truncated {
			q.notices.Warn("The gateway has more than %d files; the others are left out.", maxFiles)
		}
		if found.unreadable > 0 {
			q.notices.Warn("%s of the gateway's list can't be read.", query.Plural(found.unreadable, "record"))
		}
		files = slices.DeleteFunc(slices.Clone(found.items), func(f File) bool { return !q.Purposes.Has(f.Purpose) })
	}
	slices.SortStableFunc(files, func(a, b File) int {
		return cmp.Or(compareTimes(b.Created, a.Created), strings.Compare(a.ID, b.ID))
	})
	return data.Frames{query.Table("Training files",
		query.TextColumn("file_id", files, nil, func(f File) string { return f.ID }),
		query.TextColumn("filename", files, nil, func(f File) string { return f.Name }),
		query.TextColumn("purpose", files, nil, func(f File) string { return f.Purpose }),
		query.Column("bytes", files, unit("decbytes"), func(f File) *float64 { return f.Bytes }),
		query.Column("created", files, nil, func(f File) *time.Time { return f.Created }),
		query.TextColumn("status", files, nil, func(f File) string { return f.Status }),
	)}, nil
}
