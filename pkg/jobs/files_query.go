package jobs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// filesOptions are those of files.
type filesOptions struct {
	Purposes query.Choices `json:"purposes"`
}

// queryFiles is a table of files, newest first.
func (c *Client) queryFiles(ctx context.Context, q request) (data.Frames, error) {
	o, err := query.Parse[filesOptions](q.saved)
	if err != nil {
		return nil, err
	}
	q.notices.Blank("Purpose", o.Purposes)
	found, err := c.ListFiles(ctx)
	if err != nil {
		return nil, c.Transport.Explain(err)
	}
	files := slices.DeleteFunc(slices.Clone(itemsOf(q, found, "")), func(f gateway.File) bool { return !o.Purposes.Has(f.Purpose) })
	slices.SortStableFunc(files, func(a, b gateway.File) int {
		return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.ID, b.ID))
	})
	return data.Frames{query.Table("Training files",
		query.TextColumn("file_id", files, nil, func(f gateway.File) string { return f.ID }),
		query.TextColumn("filename", files, nil, func(f gateway.File) string { return f.Name }),
		query.TextColumn("purpose", files, nil, func(f gateway.File) string { return f.Purpose }),
		query.Column("bytes", files, unit("decbytes"), func(f gateway.File) *float64 { return f.Bytes }),
		query.TimeColumn("created", files, nil, func(f gateway.File) time.Time { return f.Created }),
		query.TextColumn("status", files, nil, func(f gateway.File) string { return f.Status }),
	)}, nil
}
