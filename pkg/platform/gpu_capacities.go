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

// sized is a product's name that says how many GPUs a machine has: the number before an x at its end, as in h100.8x.
var sized = regexp.MustCompile(`^(.+?)[._-]?(\d{1,4})x$`)

// gpuStock is how many GPUs of a kind a location has.
type gpuStock struct {
	gpu, location string
	gpus          float64
	machines      string
}

// placement counts the GPUs that are to be had of each kind at each location: a table with the columns gpu, location,
// gpus, machines and, if a number is needed, enough: yes or no. Most GPUs come first.
//
// Machines of different sizes are cut from the same GPUs, so the size that gives most GPUs counts, and no GPU counts twice.
// Products whose names don't say how many GPUs they have are left out; a notice says how many there are.
func placement(capacities *data.Frame, needed *float64) (table *data.Frame, notices []string) {
	most := map[[2]string]gpuStock{}
	unsized := map[string]bool{}
	for row := range capacities.Rows() {
		name, location, quantity := textAt(capacities, 0, row), textAt(capacities, 1, row), capacities.Fields[2].At(row).(*float64)
		found := sized.FindStringSubmatch(name)
		if found == nil {
			unsized[name] = true
			continue
		}
		if quantity == nil {
			continue
		}
		size, _ := strconv.ParseFloat(found[2], 64)
		stock := gpuStock{found[1], location, size * *quantity, fmt.Sprintf("%g × %s", *quantity, name)}
		key := [2]string{stock.gpu, location}
		if known, ok := most[key]; !ok || stock.gpus >= known.gpus {
			most[key] = stock
		}
	}
	if len(unsized) > 0 {
		notices = append(notices, fmt.Sprintf("Products whose names don't end in a number of GPUs, such as 8x, are left out: %d.", len(unsized)))
	}
	stocks := make([]gpuStock, 0, len(most))
	for _, stock := range most {
		stocks = append(stocks, stock)
	}
	slices.SortFunc(stocks, func(a, b gpuStock) int {
		return cmp.Or(cmp.Compare(b.gpus, a.gpus), strings.Compare(a.gpu, b.gpu), strings.Compare(a.location, b.location))
	})
	return stockTable(stocks, needed), notices
}

func stockTable(stocks []gpuStock, needed *float64) *data.Frame {
	gpus, locations, machines := make([]string, len(stocks)), make([]string, len(stocks)), make([]string, len(stocks))
	counts, enough := make([]float64, len(stocks)), make([]string, len(stocks))
	for i, stock := range stocks {
		gpus[i], locations[i], machines[i], counts[i] = stock.gpu, stock.location, stock.machines, stock.gpus
		enough[i] = "no"
		if needed != nil && stock.gpus >= *needed {
			enough[i] = "yes"
		}
	}
	frame := data.NewFrame("GPUs by location",
		data.NewField("gpu", nil, gpus),
		data.NewField("location", nil, locations),
		data.NewField("gpus", nil, counts),
		data.NewField("machines", nil, machines),
	)
	if needed != nil {
		frame.Fields = append(frame.Fields, data.NewField("enough", nil, enough))
	}
	frame.Meta = &data.FrameMeta{Type: data.FrameTypeTable, TypeVersion: data.FrameTypeVersion{0, 1}, PreferredVisualization: data.VisTypeTable}
	return frame
}

func textAt(frame *data.Frame, field, row int) string {
	if text := frame.Fields[field].At(row).(*string); text != nil {
		return *text
	}
	return ""
}

// gpusNeeded reads the number of GPUs that are looked for; nil for none. Its error is a *query.Error.
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
