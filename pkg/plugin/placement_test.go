package plugin_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// The lists of the main API that placement reads.
const (
	capacitiesList = "/v1/capacities"
	quotasList     = "/v1/projects/" + platform.DefaultProjectID + "/quotas"
	typesList      = "/v1/projects/" + platform.DefaultProjectID + "/compute/vms/types"
)

// lists is a data source for a main API with these items, without metrics.
func lists(t *testing.T, items map[string]string) *plugin.Datasource {
	t.Helper()
	responses := map[string]string{}
	for path, list := range items {
		responses[path] = `{"items":[` + list + `]}`
	}
	return newMainAPI(t, responses, nil)
}

// placed are the rows of a table, each as its columns that have a value.
func placed(t *testing.T, ds *plugin.Datasource, query values) ([]map[string]any, *data.Frame) {
	t.Helper()
	query["queryType"] = "placement"
	frame := frames(t, ds, query)[0]
	rows := make([]map[string]any, frame.Rows())
	for i := range rows {
		rows[i] = map[string]any{}
		for _, field := range frame.Fields {
			if value, ok := field.ConcreteAt(i); ok {
				rows[i][field.Name] = value
			}
		}
	}
	return rows, frame
}

const h100 = `{"type":"h100.8x","location":"eu-1-a","quantity":9}`

func TestPlacement_Bounds(t *testing.T) {
	quota := func(text string) map[string]string { return map[string]string{capacitiesList: h100, quotasList: text} }
	for name, test := range map[string]struct {
		items  map[string]string
		gpus   any
		enough string
		count  any
		reason string
		as     string
	}{
		"room":                      {quota(`{"name":"gpus.h100","location":"eu-1-a","limit":80,"used":8}`), 64, "yes", 72.0, "", "8 × h100.8x"},
		"a text for the number":     {quota(`{"name":"gpus.h100","location":"eu-1-a","limit":80,"used":8}`), " 64 ", "yes", 72.0, "", "8 × h100.8x"},
		"no capacity":               {quota(`{"name":"gpus.h100","limit":800,"used":8}`), 80, "no", 72.0, "capacity 72 in eu-1-a", "9 × h100.8x"},
		"no quota left":             {quota(`{"name":"gpus.h100","limit":80,"used":64}`), 64, "no", 16.0, "quota leaves 16 (gpus.h100)", "2 × h100.8x"},
		"neither":                   {quota(`{"name":"gpus.h100","limit":80,"used":80}`), 80, "no", 0.0, "capacity 72 in eu-1-a; quota leaves 0 (gpus.h100)", ""},
		"no whole machines":         {quota(`{"name":"gpus.h100","limit":68,"used":0}`), 66, "no", 64.0, "whole machines of 8 have 64", "8 × h100.8x"},
		"the tightest quota":        {quota(`{"name":"gpus.h100","limit":80,"used":0},{"name":"gpus","limit":24,"used":0}`), 64, "no", 24.0, "quota leaves 24 (gpus)", "3 × h100.8x"},
		"a quota of the region":     {quota(`{"name":"gpus.h100","region":"eu-1","limit":8,"usage":0}`), 64, "no", 8.0, "quota leaves 8 (gpus.h100)", "1 × h100.8x"},
		"a quota elsewhere":         {quota(`{"name":"gpus.h100","location":"us-1-a","limit":800,"used":0}`), 64, "unknown", 72.0, "no quota is known for h100 in eu-1-a", "8 × h100.8x"},
		"a quota of another GPU":    {quota(`{"name":"gpus.a100","limit":800,"used":0}`), 64, "unknown", 72.0, "no quota is known for h100 in eu-1-a", "8 × h100.8x"},
		"a quota of machines":       {quota(`{"type":"h100","unit":"instances","available":2}`), 64, "no", 16.0, "quota leaves 16 (h100)", "2 × h100.8x"},
		"no limit":                  {quota(`{"name":"gpus.h100","limit":-1,"in_use":40}`), 64, "yes", 72.0, "", "8 × h100.8x"},
		"only what is left":         {quota(`{"type":"H100_GPUS","available":"40"}`), 64, "no", 40.0, "quota leaves 40 (H100_GPUS)", "5 × h100.8x"},
		"only the limit":            {quota(`{"name":"gpus.h100","limit":400}`), 64, "unknown", 72.0, "how much of the quota gpus.h100 is in use is not known", "8 × h100.8x"},
		"a limit that is too low":   {quota(`{"name":"gpus.h100","limit":40}`), 64, "no", 40.0, "quota leaves 40 (gpus.h100)", "5 × h100.8x"},
		"a quota without numbers":   {quota(`{"name":"gpus.h100","state":"approved"}`), 64, "unknown", 72.0, "the quota gpus.h100 has no number that is understood", "8 × h100.8x"},
		"a quota that may apply":    {quota(`{"name":"preemptible h100 gpus","limit":8,"used":0}`), 64, "unknown", 72.0, "no quota is known for h100 in eu-1-a; the quota preemptible h100 gpus leaves 8 and may apply", "8 × h100.8x"},
		"it does not beside others": {quota(`{"name":"preemptible h100 gpus","limit":0,"used":0},{"name":"h100 gpus","limit":99,"used":0}`), 64, "yes", 72.0, "", "8 × h100.8x"},
		"the quota that is named": {map[string]string{capacitiesList: `{"type":"h100.8x","location":"eu-1-a","quantity":9,"quota_type":"HGX"}`,
			quotasList: `{"type":"HGX","max":16,"available":8,"used":8}`}, 64, "no", 8.0, "quota leaves 8 (HGX)", "1 × h100.8x"},
		"a quantity that is missing": {map[string]string{capacitiesList: `{"type":"h100.8x","location":"eu-1-a"}`,
			quotasList: `{"name":"gpus.h100","limit":80,"used":0}`}, 64, "unknown", 80.0, "the capacity of h100.8x is not known", "8 × h100.8x"},
		"sizes of the same GPUs": {map[string]string{capacitiesList: `{"type":"h100.8x","location":"eu-1-a","quantity":3},{"type":"h100.1x","location":"eu-1-a","quantity":30}`,
			quotasList: `{"name":"gpus.h100","limit":80,"used":0}`}, 24, "yes", 30.0, "", "3 × h100.8x"},
		"a size of the list of types": {map[string]string{capacitiesList: `{"type":"big","location":"eu-1-a","quantity":9}`, quotasList: `{"name":"gpus.h100","limit":80,"used":8}`,
			typesList: `{"product_name":"big","num_gpu":8,"gpu_type":"h100"}`}, 64, "yes", 72.0, "", "8 × big"},
	} {
		t.Run(name, func(t *testing.T) {
			rows, _ := placed(t, lists(t, test.items), values{"gpus": test.gpus})
			require.Len(t, rows, 1)
			require.Equal(t, test.enough, rows[0]["enough"])
			require.Equal(t, test.count, rows[0]["gpus"])
			reason, _ := rows[0]["reason"].(string)
			require.Equal(t, test.reason, reason)
			machines, _ := rows[0]["machines"].(string)
			require.Equal(t, test.as, machines)
			require.Equal(t, []any{"h100", "new machines", "eu-1-a"}, []any{rows[0]["type"], rows[0]["source"], rows[0]["location"]})
		})
	}
}

const manyPlaces = h100 + `,{"type":"h100.8x","location":"us-1-a","quantity":2},{"type":"a100-80gb-sxm.8x","location":"eu-1-a","quantity":20},
	{"type":"c1a.64x","location":"eu-1-a","quantity":500},{"type":"big","location":"eu-1-a","quantity":500}`

const manyQuotas = `{"name":"gpus.h100","limit":80,"used":0},{"name":"a100-80gb-sxm","limit":160,"used":96}`

func TestPlacement_Choice(t *testing.T) {
	ds := lists(t, map[string]string{capacitiesList: manyPlaces, quotasList: manyQuotas})
	for name, test := range map[string]struct {
		options values
		want    []string
	}{
		"everything, the best first":   {values{"gpus": 64}, []string{"yes h100 eu-1-a", "yes a100-80gb-sxm eu-1-a", "no h100 us-1-a"}},
		"a GPU type":                   {values{"gpus": 64, "types": []string{"h100"}}, []string{"yes h100 eu-1-a", "no h100 us-1-a"}},
		"words of a type, in any case": {values{"gpus": 64, "types": "A100 80GB"}, []string{"yes a100-80gb-sxm eu-1-a"}},
		"a type of machine":            {values{"gpus": 8, "types": []string{"h100.8x"}, "locations": "US-1-A"}, []string{"yes h100 us-1-a"}},
		"all of a variable":            {values{"gpus": 64, "types": []string{"$__all"}, "locations": []string{"us-1-a"}}, []string{"no h100 us-1-a"}},
		"none of it":                   {values{"gpus": 64, "types": []string{"b200"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			rows, _ := placed(t, ds, test.options)
			var got []string
			for _, row := range rows {
				got = append(got, row["enough"].(string)+" "+row["type"].(string)+" "+row["location"].(string))
			}
			require.Equal(t, test.want, got)
		})
	}
	_, frame := placed(t, ds, values{"gpus": 64})
	require.Contains(t, noticeTexts(frame), "Products whose number of GPUs can't be read are not considered: big, c1a.64x.")
	_, frame = placed(t, ds, values{"gpus": 64, "types": []string{" "}})
	require.Contains(t, noticeTexts(frame), "GPU types: the variable has no value, so nothing is chosen.")
	_, frame = placed(t, ds, values{"gpus": 64, "types": []string{"b200"}})
	require.Contains(t, noticeTexts(frame), "None of the chosen GPU types is offered or owned at the chosen locations.")
}

func TestPlacement_Answer(t *testing.T) {
	for name, test := range map[string]struct {
		items  map[string]string
		gpus   int
		answer string
	}{
		"yes":          {map[string]string{capacitiesList: manyPlaces, quotasList: manyQuotas}, 64, "Yes: h100 in eu-1-a, as 8 × h100.8x. There is room in 1 other place, too."},
		"no":           {map[string]string{capacitiesList: manyPlaces, quotasList: manyQuotas}, 100, "No: at most 72, h100 in eu-1-a (capacity 72 in eu-1-a; quota leaves 80 (gpus.h100))."},
		"together":     {map[string]string{capacitiesList: manyPlaces, quotasList: manyQuotas}, 80, "No: at most 72, h100 in eu-1-a (capacity 72 in eu-1-a). h100 has 80 in 2 places together."},
		"perhaps":      {map[string]string{capacitiesList: h100}, 64, "Perhaps: h100 in eu-1-a, but quotas are not served."},
		"nothing free": {map[string]string{capacitiesList: `{"type":"h100.8x","location":"eu-1-a","quantity":0}`, quotasList: manyQuotas}, 8, "No: at most 0, h100 in eu-1-a (capacity 0 in eu-1-a)."},
		"nothing":      {map[string]string{capacitiesList: ``, quotasList: manyQuotas}, 8, "No: none of the chosen GPU types is offered or owned at the chosen locations."},
	} {
		t.Run(name, func(t *testing.T) {
			rows, _ := placed(t, lists(t, test.items), values{"gpus": test.gpus, "format": "answer"})
			require.Equal(t, test.answer, rows[0]["answer"])
		})
	}
}

// numbersOf are the numbers of a result, by their labels.
func numbersOf(frames data.Frames) map[string]float64 {
	numbers := map[string]float64{}
	for _, frame := range frames {
		for _, field := range frame.Fields {
			numbers[field.Labels.String()] = field.At(0).(float64)
		}
	}
	return numbers
}

func TestPlacement_Numbers(t *testing.T) {
	ds := lists(t, map[string]string{capacitiesList: manyPlaces + `,{"type":"l40s.1x","location":"eu-1-a","quantity":9}`, quotasList: manyQuotas})
	want := map[string]float64{
		"location=eu-1-a, source=new machines, type=h100": 72, "location=us-1-a, source=new machines, type=h100": 16,
		"location=eu-1-a, source=new machines, type=a100-80gb-sxm": 64,
	}
	numbers := frames(t, ds, values{"queryType": "placement", "format": "number"})
	require.Equal(t, data.FrameTypeNumericMulti, numbers[0].Meta.Type)
	require.Equal(t, want, numbersOf(numbers))
	require.Contains(t, noticeTexts(numbers[0]), "Not all bounds are known, so there is no number of l40s in eu-1-a.")
	for _, format := range []string{"", "table", "answer", "nodes", "hours"} {
		response := fromAlert(t, ds, values{"queryType": "placement", "gpus": 8, "format": format})
		require.NoError(t, response.Error)
		require.Equal(t, want, numbersOf(response.Frames), "an alert rule gets numbers for the format %q", format)
	}
	totals := map[string]float64{"type=h100": 80, "type=a100-80gb-sxm": 64}
	require.Equal(t, totals, numbersOf(frames(t, ds, values{"queryType": "placement", "format": "total"})), "the quota of h100 is shared")
	require.Equal(t, totals, numbersOf(fromAlert(t, ds, values{"queryType": "placement", "format": "total"}).Frames))
}

// TestPlacement_NumbersWithoutQuotas requires an error, because an alert rule must not take what is not known for free.
func TestPlacement_NumbersWithoutQuotas(t *testing.T) {
	for name, test := range map[string]struct{ quotas, want string }{
		"not served":     {"", "Quotas: quotas are not served, so how many GPUs can be had is not known. Query capacities instead."},
		"another shape":  {`{"allowance":{"h100":64}}`, "Quotas: the list of quotas has a shape that is not understood, so how many GPUs can be had is not known. Query capacities instead."},
		"not all of it":  {`{"name":"gpus.h100","limit":80,"used":0}],"next_token":"more","x":[`, "Quotas: not all quotas were read, so how many GPUs can be had is not known. Query capacities instead."},
		"nothing but it": {`{"name":"gpus.h100","limit":80,"used":0}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			items := map[string]string{capacitiesList: h100}
			if test.quotas != "" {
				items[quotasList] = test.quotas
			}
			ds := lists(t, items)
			rows, frame := placed(t, ds, values{"gpus": 64})
			response := fromAlert(t, ds, values{"queryType": "placement", "gpus": 64})
			if test.want == "" {
				require.NoError(t, response.Error)
				require.Equal(t, "yes", rows[0]["enough"])
				return
			}
			require.EqualError(t, response.Error, test.want)
			require.Equal(t, "unknown", rows[0]["enough"])
			require.Contains(t, noticeTexts(frame), "Not considered: "+strings.TrimSuffix(strings.TrimPrefix(test.want, "Quotas: "), ", so how many GPUs can be had is not known. Query capacities instead."))
		})
	}
}

// TestPlacement_Outages fails each service in turn, on the simulated platform, where nothing but own nodes has room for one GPU.
func TestPlacement_Outages(t *testing.T) {
	refused := "The platform accepted the access key but does not allow it to do this (403). Check it in the data source's settings, section Main API."
	for name, test := range map[string]struct {
		fault platform.Fault
		want  map[string]string // errors by format; "" is a result
		says  string            // notice of the table
	}{
		"main API":   {platform.Fault{Service: platform.ServiceMain, Status: http.StatusForbidden}, map[string]string{"table": "", "answer": refused, "number": refused, "total": refused, "nodes": "", "hours": ""}, "New machines are not considered. " + refused},
		"capacities": {platform.Fault{Service: platform.ServiceMain, Path: "/capacities$", Status: http.StatusForbidden}, map[string]string{"table": "", "answer": refused, "number": refused}, "New machines are not considered. " + refused},
		"quotas":     {platform.Fault{Service: platform.ServiceMain, Path: "/quotas$", Status: http.StatusForbidden}, map[string]string{"table": "", "answer": refused, "number": refused}, "Quotas are not considered. " + refused},
		"types":      {platform.Fault{Service: platform.ServiceMain, Path: "/types$", Status: http.StatusForbidden}, map[string]string{"table": "", "answer": "", "number": ""}, "The number of GPUs of machines is read from their names, because the list of machine types can't be read. " + refused},
		"metrics":    {platform.Fault{Service: platform.ServiceMetrics, Status: http.StatusForbidden}, map[string]string{"table": "", "answer": "403", "number": "403", "nodes": "403", "hours": "403"}, "Own idle nodes are not considered. "},
		"everything": {platform.Fault{Status: http.StatusForbidden}, map[string]string{"table": "403", "answer": "403", "number": "403", "total": "403", "nodes": "403", "hours": "403"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, address := newPlatformWith(t, platform.Config{Now: time.Now})
			p.Inject(test.fault)
			ds := newDatasourceWith(t, address, values{"accessKeyId": platform.DefaultAccessKeyID},
				map[string]string{"monitoringToken": platform.DefaultMonitoringToken, "secretKey": platform.DefaultSecretKey})
			for format, want := range test.want {
				response := runQueries(t, ds, dataQuery(t, "A", values{"queryType": "placement", "gpus": 1000, "format": format}))["A"]
				if want != "" {
					require.ErrorContains(t, response.Error, want, format)
					continue
				}
				require.NoError(t, response.Error, format)
				if format == "table" {
					require.NotZero(t, response.Frames[0].Rows())
					require.Contains(t, noticeTexts(response.Frames[0]), test.says)
				}
			}
		})
	}
}

func TestPlacement_MissingCredentials(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Now: time.Now})
	for name, test := range map[string]struct {
		settings values
		secrets  map[string]string
		source   any
		notice   string
	}{
		"main API": {nil, map[string]string{"monitoringToken": platform.DefaultMonitoringToken}, "own nodes",
			"Capacities and quotas are not considered. No access key id is set. Set it in the data source's settings, section Main API."},
		"metrics": {values{"accessKeyId": platform.DefaultAccessKeyID}, map[string]string{"secretKey": platform.DefaultSecretKey}, "new machines",
			"Own idle nodes are not considered. No monitoring token is set. Set it in the data source's settings, section Metrics."},
		"both": {nil, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ds := newDatasourceWith(t, address, test.settings, test.secrets)
			if test.source == nil {
				response := runQueries(t, ds, dataQuery(t, "A", values{"queryType": "placement", "gpus": 8}))["A"]
				require.ErrorContains(t, response.Error, "No access key id is set.")
				return
			}
			rows, frame := placed(t, ds, values{"gpus": 8})
			require.NotEmpty(t, rows)
			for _, row := range rows {
				require.Equal(t, test.source, row["source"])
			}
			require.Contains(t, noticeTexts(frame), test.notice)
			numbers := frames(t, ds, values{"queryType": "placement", "format": "number"})
			require.NotEmpty(t, numbersOf(numbers))
			require.Contains(t, noticeTexts(numbers[0]), test.notice)
		})
	}
}

func TestPlacement_InvalidQueries(t *testing.T) {
	ds := lists(t, map[string]string{capacitiesList: h100})
	for name, test := range map[string]struct {
		query values
		want  string
	}{
		"no number":          {values{}, "GPUs wanted: write a whole number from 1 to 100,000, such as 64."},
		"none":               {values{"gpus": 0}, "GPUs wanted: write a whole number from 1 to 100,000, such as 64."},
		"half a GPU":         {values{"gpus": 1.5}, "GPUs wanted: write a whole number from 1 to 100,000, such as 64."},
		"too many":           {values{"gpus": "100001"}, "GPUs wanted: write a whole number from 1 to 100,000, such as 64."},
		"no number in words": {values{"gpus": "many"}, `Query: field "gpus" holds a string`},
		"a format":           {values{"gpus": 8, "format": "chart"}, `Format: "chart" is not known. Use table, number, total, answer, nodes or hours.`},
		"too many types":     {values{"gpus": 8, "types": strings.Split(strings.Repeat("a", 201), "")}, ""},
		"too many locations": {values{"gpus": 8, "locations": slices.Collect(maps.Keys(manyNames(201)))}, "Locations: there are 201, and the limit is 200."},
	} {
		t.Run(name, func(t *testing.T) {
			test.query["queryType"] = "placement"
			response := runQueries(t, ds, dataQuery(t, "A", test.query))["A"]
			if test.want == "" {
				require.NoError(t, response.Error, "equal values count once")
				return
			}
			require.ErrorContains(t, response.Error, test.want)
			require.Equal(t, backend.StatusBadRequest, response.Status)
		})
	}
}

func manyNames(count int) map[string]bool {
	names := map[string]bool{}
	for len(names) < count {
		names[strings.Repeat("x", len(names)+1)] = true
	}
	return names
}
