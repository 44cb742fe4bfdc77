package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const capacitiesPath = "/v1/capacities"

type capacitiesModel struct {
	ProductNames query.Choices `json:"productNames"`
	Locations    query.Choices `json:"locations"`
	Format       string        `json:"format"`
	// GPUsNeeded is how many GPUs the format "gpus" looks for, as a number or a text.
	GPUsNeeded any `json:"gpusNeeded"`
}

// capacityColumns are the columns that dashboards and alert rules rely on.
var capacityColumns = []Column{
	{Selector: "type", Type: TypeString},
	{Selector: "location", Type: TypeString},
	{Selector: "quantity", Type: TypeNumber},
}

// QueryCapacities answers how much of each product is to be had where: a table with the columns type, location and
// quantity or, with the format "number", numbers labeled by type and location. plain stands for the latter.
//
// With the format "gpus" it is a table of how many GPUs are to be had at each location, see placement.
//
// Empty lists of products and locations mean all, blank variables nothing. Errors are *query.Error or *transport.Error.
func (c *Client) QueryCapacities(ctx context.Context, saved backend.DataQuery, plain bool) (data.Frames, error) {
	var m capacitiesModel
	if err := json.Unmarshal(saved.JSON, &m); err != nil {
		return nil, query.Unreadable(err)
	}
	if m.Format != "" && m.Format != "table" && m.Format != "number" && m.Format != formatGPUs {
		return nil, &query.Error{Field: "Format", Message: "use table, number or gpus."}
	}
	needed, err := gpusNeeded(m.GPUsNeeded)
	if err != nil {
		return nil, err
	}
	params := url.Values{}
	var blank []string
	for _, filter := range []struct {
		field, name string
		query.Choices
	}{{"Products", "product_name", m.ProductNames}, {"Locations", "location", m.Locations}} {
		if err := tooMany(filter.field, len(filter.Values), mostNames); err != nil {
			return nil, err
		}
		if filter.Blank {
			blank = append(blank, fmt.Sprintf(query.BlankNotice, filter.field))
		}
		joined := strings.Join(filter.Values, ",")
		if err := checkLength(filter.field, "they are", joined, mostParamBytes); err != nil {
			return nil, err
		}
		if joined != "" {
			params.Set(filter.name, joined)
		}
	}
	found := &list{notices: blank}
	if len(blank) == 0 {
		if found, err = c.read(ctx, capacitiesPath, params, defaultRoot, defaultMaxPages); err != nil {
			return nil, err
		}
	}
	table, notices, err := asTable("capacities", found.items, capacityColumns, newBudget(ctx, "Columns", found.bytes))
	if err != nil {
		return nil, c.explain(err)
	}
	if m.Format == "number" || plain {
		frames, err := numbers(table)
		if err != nil {
			return nil, err
		}
		return withNotices(frames, saved.RefID, append(found.notices, notices...)), nil
	}
	if m.Format == formatGPUs {
		var unnamed []string
		table, unnamed = placement(table, needed)
		notices = append(notices, unnamed...)
	}
	return withNotices(data.Frames{table}, saved.RefID, append(found.notices, notices...)), nil
}

// withNotices puts notices on the first frame, of which there is always one. A frame without rows has no fields, or Grafana's
// table has titles above nothing, and doesn't say what its panel says of no data.
func withNotices(frames data.Frames, refID string, notices []string) data.Frames {
	if len(frames) == 0 {
		frames = data.Frames{data.NewFrame("")}
	}
	for _, frame := range frames {
		frame.RefID = refID
		if frame.Rows() == 0 {
			frame.Fields = nil
		}
	}
	for _, text := range notices {
		frames[0].AppendNotices(data.Notice{Severity: data.NoticeSeverityWarning, Text: text})
	}
	return frames
}
