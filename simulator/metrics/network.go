package metrics

import (
	"math"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// infinibandFamilies are a node's InfiniBand ports: eight of 400 Gbit/s. Every 5 minutes.
func (w *labelSets) infinibandFamilies() []family {
	ports := enum("hca_number", numbered(8)...)
	return collect(everyFiveMinutes, dimensions{w.hosts, ports}, []family{
		{Name: "vendor_ib_port_line_rate", Type: Gauge, value: constant(400)},
		{Name: "vendor_ib_port_throughput_tx", Type: Counter, value: total(scenario.Load{Time: 900, Network: 38e9})},
		{Name: "vendor_ib_port_throughput_rx", Type: Counter, value: total(scenario.Load{Time: 900, Network: 37.8e9})},
		{Name: "vendor_ib_port_packets_tx", Type: Counter, value: total(scenario.Load{Time: 4, Network: 9.6e6})},
		{Name: "vendor_ib_port_packets_rx", Type: Counter, value: total(scenario.Load{Time: 4, Network: 9.5e6})},
		{Name: "vendor_ib_port_tx_wait", Type: Counter, value: coarse(1e5, total(scenario.Load{Network: 2200, Congestion: 30000}))},
		{Name: "vendor_ib_port_link_downed", Type: Counter, value: plus(rarely(5e-8), flaps)},
		{Name: "vendor_ib_port_link_error_recovery", Type: Counter, value: rarely(9e-8)},
		{Name: "vendor_ib_port_error_rx", Type: Counter, value: plus(rarely(4e-7), garbled)},
		{Name: "vendor_ib_port_xmit_discard", Type: Counter, value: rarely(3e-7)},
	})
}

// objectStorageFamilies are connections to object storage, seen from the machine.
func (w *labelSets) objectStorageFamilies() []family {
	endpoints := fixed([]string{"endpoint"}, [][]string{{"datasets.objects.internal:443"}, {"checkpoints.objects.internal:443"}}, func(s *series, i int) {
		s.scale *= []float64{1, 0.35}[i]
	})
	return collect(everyMinute, dimensions{w.nodes, endpoints}, []family{
		{Name: "vendor_vm_objectstore_connection_latency_histogram_seconds", Type: Histogram, latency: latency{
			calm: scenario.Load{Time: 0.4, Compute: 0.6}, busy: scenario.Load{Read: 35, Write: 22}, calmMean: 0.0031, busyMean: 0.021,
		}},
		{Name: "vendor_vm_objectstore_connections_total", Type: Counter, value: total(scenario.Load{Time: 0.4, Compute: 0.6, Read: 35, Write: 22})},
		{Name: "vendor_vm_objectstore_tcp_retransmits_total", Type: Counter, value: total(scenario.Load{Time: 0.002, Read: 1.4, Write: 2.1})},
		{Name: "vendor_vm_objectstore_bytes_sent_total", Type: Counter, value: total(scenario.Load{Time: 300, Compute: 2000, Write: 9e8})},
		{Name: "vendor_vm_objectstore_bytes_recv_total", Type: Counter, value: total(scenario.Load{Time: 500, Compute: 4000, Read: 8e8})},
	})
}

// loadBalancerFamilies are the load balancers' ports. Every 30 seconds.
func (w *labelSets) loadBalancerFamilies() []family {
	whole := func(f formula) formula {
		return func(s *series, m *moment) float64 { return float64(int64(f(s, m))) }
	}
	return collect(everyHalfMinute, dimensions{w.balancers}, []family{
		{Name: "vendor_elb_in_packets", Type: Counter, value: total(scenario.Load{Time: 20, Requests: 52e3})},
		{Name: "vendor_elb_out_packets", Type: Counter, value: total(scenario.Load{Time: 18, Requests: 71e3})},
		{Name: "vendor_elb_bytes_in", Type: Counter, value: total(scenario.Load{Time: 2e3, Requests: 2.1e7})},
		{Name: "vendor_elb_bytes_out", Type: Counter, value: total(scenario.Load{Time: 3e3, Requests: 6.4e7})},
		{Name: "vendor_elb_active_flows", Type: Gauge, value: whole(weigh(scenario.Load{Time: 12, Requests: 2400}, 0.1))},
		{Name: "vendor_elb_new_flows", Type: Counter, value: total(scenario.Load{Time: 0.5, Requests: 310})},
	})
}

// flappingPort is the InfiniBand port of the first node that has scenario.LinkFlap.
const flappingPort = 3

// flaps counts how often a link went down because of scenario.LinkFlap.
func flaps(s *series, m *moment) float64 {
	return math.Ceil(s.flapping(m.t).Minutes() / 10)
}

// garbled counts the packets with errors that come with it: one in two seconds.
func garbled(s *series, m *moment) float64 {
	return math.Floor(s.flapping(m.t).Seconds() / 2)
}

// flapping is how long a port has been going down and up.
func (s *series) flapping(t int64) time.Duration {
	since, ok := s.labelSets.scenario.Since(scenario.LinkFlap)
	if !ok || s.node != 0 || s.position != flappingPort || t <= since {
		return 0
	}
	return time.Duration(t-since) * time.Millisecond
}

func plus(a, b formula) formula {
	return func(s *series, m *moment) float64 { return a(s, m) + b(s, m) }
}
