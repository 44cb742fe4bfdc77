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
	// GPUsNeeded is the number of GPUs for the column "enough" of the format "gpus", as a number or a text.
	GPUsNeeded any `json:"gpusNeeded"`
}

// capacityColumns are the columns that dashboards and alert rules depend on.
var capacityColumns = []columnModel{
	{Selector: "type", Type: typeString},
	{Selector: "location", Type: typeString},
	{Selector: "quantity", Type: typeNumber},
}

// queryCapacities is the available quantity of each product at each location: a table with the columns type, location and
// quantity, or, with the format "number" or alerting set, numbers with the labels type and location. With the format "gpus"
// it is a table of GPUs by location, see gpusByLocation.
//
// Empty lists of products and locations mean all, blank variables none.
func (c *Client) queryCapacities(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, []string, error) {
	var m capacitiesModel
	if err := json.Unmarshal(saved.JSON, &m); err != nil {
		return nil, nil, query.Unreadable(err)
	}
	if m.Format != "" && m.Format != "table" && m.Format != "number" && m.Format != formatGPUs {
		return nil, nil, &query.Error{Field: "Format", Message: "use table, number or gpus."}
	}
	needed, err := gpusNeeded(m.GPUsNeeded)
	if err != nil {
		return nil, nil, err
	}
	params := url.Values{}
	var blank []string
	for _, filter := range []struct {
		field, name string
		query.Choices
	}{{"Products", "product_name", m.ProductNames}, {"Locations", "location", m.Locations}} {
		if err := tooMany(filter.field, len(filter.Values), maxNames); err != nil {
			return nil, nil, err
		}
		if filter.Blank {
			blank = append(blank, fmt.Sprintf(query.BlankNotice, filter.field))
		}
		joined := strings.Join(filter.Values, ",")
		if err := checkLength(filter.field, "they are", joined, maxParamBytes); err != nil {
			return nil, nil, err
		}
		if joined != "" {
			params.Set(filter.name, joined)
		}
	}
	found := &list{notices: blank}
	if len(blank) == 0 {
		if found, err = c.read(ctx, capacitiesPath, params, defaultRoot, defaultMaxPages); err != nil {
			return nil, nil, err
		}
	}
	table, notices, err := tableFrame("capacities", found.items, capacityColumns, newBudget(ctx, "Columns", found.bytes))
	if err != nil {
		return nil, nil, c.explain(err)
	}
	if m.Format == "number" || alerting {
		frames, err := numericFrames(table)
		if err != nil {
			return nil, nil, err
		}
		return frames, append(found.notices, notices...), nil
	}
	if m.Format == formatGPUs {
		var unnamed []string
		table, unnamed = gpusByLocation(table, needed)
		notices = append(notices, unnamed...)
	}
	return data.Frames{table}, append(found.notices, notices...), nil
}
