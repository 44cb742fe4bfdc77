package prom_test

import (
	"regexp"
	"testing"
)

// wholeBucket is a bucket whose bound is a whole number, in a query or in a response.
var wholeBucket = regexp.MustCompile(`\ble("?[=:]")(\d+)"`)

// TestArchive_BucketsOfPrometheus3 has an archive whose scraper writes the bucket "1" as "1.0".
func TestArchive_BucketsOfPrometheus3(t *testing.T) {
	a := newArchived(t, "")
	a.archive.openMetrics = true
	for _, expr := range []string{
		`sum by (le) (vendor_vm_disk_read_latency_seconds_bucket)`,
		`sum(vendor_vm_disk_read_latency_seconds_bucket{le="1"})`,
		`sum by (le) (vendor_vm_disk_read_latency_seconds_bucket{le!="1"})`,
		`histogram_quantile(0.9, sum by (le) (rate(vendor_vm_disk_read_latency_seconds_bucket[1h])))`,
	} {
		a.sameAsDirect(t, expr)
	}
}
