package platform

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// formatGPUs is the format of capacities that counts GPUs instead of machines.
const formatGPUs = "gpus"

// sizedProduct matches the name of a product that ends with the number of GPUs of a machine, as in h100.8x.
var sizedProduct = regexp.MustCompile(`^(.+?)[._-]?(\d{1,4})x$`)

// gpuCapacity is the number of available GPUs of a model at a location.
type gpuCapacity struct {
	gpu, location string
	gpus          float64
	machines      string
}

// gpusByLocation is the number of available GPUs of each model at each location: a table with the columns gpu, location,
// gpus, machines and, if needed is set, enough (yes or no), sorted by gpus in descending order.
//
// Machines of different sizes share the same GPUs. The size with most GPUs counts, so that no GPU counts twice. Products
// without a number of GPUs in their names are left out; a notice has their number.
func gpusByLocation(capacities *data.Frame, needed *float64) (table *data.Frame, notices []string) {
	most := map[[2]string]gpuCapacity{}
	unsized := map[string]bool{}
	for row := range capacities.Rows() {
		name, location, quantity := textAt(capacities.Fields[0], row), textAt(capacities.Fields[1], row), capacities.Fields[2].At(row).(*float64)
		found := sizedProduct.FindStringSubmatch(name)
		if found == nil {
			unsized[name] = true
			continue
		}
		if quantity == nil {
			continue
		}
		size, _ := strconv.ParseFloat(found[2], 64)
		capacity := gpuCapacity{found[1], location, size * *quantity, fmt.Sprintf("%g × %s", *quantity, name)}
		key := [2]string{capacity.gpu, location}
		if known, ok := most[key]; !ok || capacity.gpus >= known.gpus {
			most[key] = capacity
		}
	}
	if len(unsized) > 0 {
		notices = append(notices, fmt.Sprintf("Products whose names don't end in a number of GPUs, such as 8x, are left out: %d.", len(unsized)))
	}
	sorted := make([]gpuCapacity, 0, len(most))
	for _, capacity := range most {
		sorted = append(sorted, capacity)
	}
	slices.SortFunc(sorted, func(a, b gpuCapacity) int {
		return cmp.Or(cmp.Compare(b.gpus, a.gpus), strings.Compare(a.gpu, b.gpu), strings.Compare(a.location, b.location))
	})
	return gpuTable(sorted, needed), notices
}

func gpuTable(capacities []gpuCapacity, needed *float64) *data.Frame {
	text := func(name string, value func(gpuCapacity) string) *data.Field {
		return query.Column(name, capacities, nil, value)
	}
	frame := query.Table("GPUs by location",
		text("gpu", func(c gpuCapacity) string { return c.gpu }),
		text("location", func(c gpuCapacity) string { return c.location }),
		query.Column("gpus", capacities, nil, func(c gpuCapacity) float64 { return c.gpus }),
		text("machines", func(c gpuCapacity) string { return c.machines }),
	)
	if needed != nil {
		frame.Fields = append(frame.Fields, text("enough", func(c gpuCapacity) string {
			if c.gpus >= *needed {
				return "yes"
			}
			return "no"
		}))
	}
	return frame
}

// textAt is empty for null.
func textAt(field *data.Field, row int) string {
	text, _ := field.ConcreteAt(row)
	return text.(string)
}

// gpusNeeded parses the saved number of GPUs; nil if there is none. Its error is a *query.Error.
func gpusNeeded(saved any) (*float64, error) {
	text := ""
	if saved != nil {
		text = strings.TrimSpace(fmt.Sprint(saved))
	}
	if text == "" {
		return nil, nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(number) || number < 1 {
		return nil, &query.Error{Field: "GPUs needed", Message: "write a number from 1, such as 64."}
	}
	return &number, nil
}
