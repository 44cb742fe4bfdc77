package mainapi

import (
	"context"
	"net/url"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const capacitiesPath = "/v1/capacities"

// capacitiesOptions are those of capacities.
type capacitiesOptions struct {
	ProductNames query.Choices `json:"productNames"`
	Locations    query.Choices `json:"locations"`
	Format       string        `json:"format"`
}

// capacityColumns are the columns that dashboards and alert rules depend on.
var capacityColumns = []columnModel{
	{Selector: "type", Type: typeString},
	{Selector: "location", Type: typeString},
	{Selector: "quantity", Type: typeNumber},
}

// Parsed returns valid options.
func (o capacitiesOptions) Parsed(bool) (capacitiesOptions, error) {
	switch o.Format {
	case "", "table", "number":
	case "gpus":
		return o, &query.Error{Field: "Format", Message: "gpus is no longer there. Use a query of the type placement, which counts GPUs within the quotas, too."}
	default:
		return o, &query.Error{Field: "Format", Message: "use table or number."}
	}
	for _, filter := range o.filters() {
		if err := tooMany(filter.field, len(filter.Values), maxNames); err != nil {
			return o, err
		}
		if err := checkLength(filter.field, "they are", strings.Join(filter.Values, ","), maxParamBytes); err != nil {
			return o, err
		}
	}
	return o, nil
}

// capacityFilter is an option that is a parameter of the request.
type capacityFilter struct {
	field, param string
	query.Choices
}

func (o capacitiesOptions) filters() []capacityFilter {
	return []capacityFilter{{"Products", "product_name", o.ProductNames}, {"Locations", "location", o.Locations}}
}

// queryCapacities is the available quantity of each product at each location: a table with the columns type, location and
// quantity, or, with the format "number" or alerting set, numbers with the labels type and location.
//
// Empty lists of products and locations mean all, blank variables none.
func (c *Client) queryCapacities(ctx context.Context, q request, o capacitiesOptions) (data.Frames, error) {
	params := url.Values{}
	isBlank := false
	for _, filter := range o.filters() {
		if filter.Blank {
			isBlank = true
			q.notices.Warn(query.BlankNotice, filter.field)
		}
		if len(filter.Values) > 0 {
			params.Set(filter.param, strings.Join(filter.Values, ","))
		}
	}
	found := &list{}
	if !isBlank {
		var err error
		if found, err = c.read(ctx, capacitiesPath, params, defaultRoot, defaultMaxPages); err != nil {
			return nil, err
		}
	}
	found.addNotices(q.notices)
	values, err := found.cells(ctx, capacityColumns, &filterModel{})
	if err != nil {
		return nil, c.explain(err)
	}
	table, err := found.tableFrame("capacities", capacityColumns, values, q.notices)
	if err != nil {
		return nil, err
	}
	if o.Format == "number" || q.alerting {
		return numericFrames(table)
	}
	return data.Frames{table}, nil
}
