package runs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// Prices are the prices of a cost.
type Prices struct {
	// GPUHour is the price of a GPU-hour by the model of the GPU, as in the label modelName, in any case.
	GPUHour map[string]float64
	// KilowattHour is the price of energy, or nil.
	KilowattHour *float64
	// Currency is a code of ISO 4217.
	Currency string
}

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

// ParsePrices reads the setting: {"gpuHour": {"NVIDIA H100 80GB HBM3": 2.5}, "kilowattHour": 0.2, "currency": "EUR"}. Numbers may
// be texts, as provisioning writes them. The error is a sentence for people.
func ParsePrices(raw json.RawMessage) (Prices, error) {
	var saved struct {
		GPUHour      map[string]*query.Number `json:"gpuHour"`
		KilowattHour *query.Number            `json:"kilowattHour"`
		Currency     string                   `json:"currency"`
	}
	if len(raw) == 0 {
		return Prices{}, nil
	}
	if err := json.Unmarshal(raw, &saved); err != nil {
		return Prices{}, fmt.Errorf("The prices in the data source's settings can't be read: a price is a number, for example 2.5.") //nolint:staticcheck // a sentence for people
	}
	p := Prices{
		GPUHour: map[string]float64{}, KilowattHour: (*float64)(saved.KilowattHour), Currency: strings.ToUpper(strings.TrimSpace(saved.Currency)),
	}
	for model, price := range saved.GPUHour {
		if price != nil {
			p.GPUHour[model] = float64(*price)
		}
	}
	for _, price := range append(slices.Collect(maps.Values(saved.GPUHour)), saved.KilowattHour) {
		if price != nil && *price < 0 {
			return Prices{}, fmt.Errorf("A price in the data source's settings is negative.") //nolint:staticcheck // a sentence for people
		}
	}
	if p.Currency != "" && !currency.MatchString(p.Currency) {
		return Prices{}, fmt.Errorf("The currency in the data source's settings, %q, is not a code of three letters, such as EUR.", query.Shorten(saved.Currency)) //nolint:staticcheck // a sentence for people
	}
	return p, nil
}

// known reports whether there is any price.
func (p Prices) known() bool { return len(p.GPUHour) > 0 || p.KilowattHour != nil }

// signs are the currencies that Grafana writes with a sign.
//
// Source: https://github.com/grafana/grafana/blob/main/packages/grafana-data/src/valueFormats/categories.ts
var signs = []string{"BRL", "CHF", "CZK", "DKK", "EUR", "GBP", "INR", "JPY", "KRW", "NOK", "PLN", "SEK", "TRY", "UAH", "USD", "ZAR"}

// unit is Grafana's unit of the currency.
func (p Prices) unit() string {
	code := cmp.Or(p.Currency, "USD")
	if slices.Contains(signs, code) {
		return "currency" + code
	}
	return "currency:" + code
}

// gpuHour is NaN if there is no price.
func (p Prices) gpuHour(model string) float64 {
	for name, price := range p.GPUHour {
		if strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(model)) {
			return price
		}
	}
	return math.NaN()
}

// cost is unknown if a price is missing: a part of a cost would be wrong.
func (r row) cost() float64 {
	if !r.prices.known() || r.evidence[gpuTimePart] == nil {
		return math.NaN()
	}
	cost := 0.0
	if len(r.prices.GPUHour) > 0 {
		cost = r.costOf(gpuTimePart)
	}
	if r.prices.KilowattHour != nil {
		cost += r.energy() * *r.prices.KilowattHour
	}
	return cost
}

// idleCost is that of GPU-hours alone: what idle GPUs draw is not known apart from the rest.
func (r row) idleCost() float64 {
	if len(r.prices.GPUHour) == 0 || r.evidence[gpuTimePart] == nil {
		return math.NaN()
	}
	return r.costOf(idlePart)
}

// costOf is the price of a part that has points of the grid by model of GPU.
func (r row) costOf(part string) (cost float64) {
	for model, points := range r.evidence[part] {
		cost += r.hours(points) * r.prices.gpuHour(model)
	}
	return cost
}

// explainPrices says which models have no price.
func (q *report) explainPrices(t *task, rows []row) {
	if t.PricesErr != nil {
		t.notices.Warn("%s", t.PricesErr.Error())
	} else if !t.Prices.known() && q.Measures != nil {
		t.notices.Info("No prices are set, so there is no cost. Set them in the data source's settings, section Prices.")
	}
	if len(t.Prices.GPUHour) == 0 {
		return
	}
	missing := map[string]bool{}
	for _, r := range rows {
		for model, points := range r.evidence[gpuTimePart] {
			if !math.IsNaN(points) && math.IsNaN(t.Prices.gpuHour(model)) {
				missing[model] = true
			}
		}
	}
	if len(missing) > 0 {
		t.notices.Warn("There is no price of a GPU-hour of %s, so runs on it have no cost. Set it in the data source's settings, section Prices.",
			query.List(slices.Sorted(maps.Keys(missing))))
	}
}
