package scenario

import (
	"fmt"
	"math"
)

// Where the fleet is, and what a node and a shared disk have.
const (
	Home            = "us-east1-a"
	Processors      = 176        // virtual CPUs of a node
	NodeMemory      = 1900 << 30 // bytes
	SharedDiskBytes = 100e12
	SlurmCluster    = "slurm-01" // id of the cluster of the training pools
)

// SharedDisk is a disk that the nodes of a pool share.
type SharedDisk struct {
	ID, Name string
	NodePool NodePool
}

// SharedDisks returns the shared disks: one a pool that has nodes.
func (f *Fleet) SharedDisks() []SharedDisk {
	var disks []SharedDisk
	for pool := Pretraining; pool < NodePools; pool++ {
		if first, end := f.Range(pool); first < end {
			disks = append(disks, SharedDisk{fmt.Sprintf("disk-%08x", uint32(Mix(uint64(pool), 3))), pool.String() + "-shared", pool})
		}
	}
	return disks
}

// LoadBalancer distributes connections over the serving pool, by port.
type LoadBalancer struct {
	Name      string
	Listeners []Listener
}

// Listener is a port of a load balancer.
type Listener struct {
	Protocol string
	Port     int
}

// LoadBalancers returns the load balancers.
func LoadBalancers() []LoadBalancer {
	return []LoadBalancer{
		{"inference-gateway", []Listener{{"TCP", 443}, {"TCP", 80}}},
		{"notebooks", []Listener{{"TCP", 443}}},
		{"cluster-dns", []Listener{{"UDP", 53}}},
	}
}

// demandSlot is how often other tenants come and go, in milliseconds.
const demandSlot = 5 * 60 * 1000

// Demand returns which share of a pool other tenants take at t, from 0 to 1. It rises over the working day,
// whose beginning differs from pool to pool, and now and then takes all there is.
func (s *Scenario) Demand(pool uint64, t int64) float64 {
	hour := float64(t%(24*3600e3))/3600e3 + 9*Unit(Mix(pool, 31))
	wave := 0.5 - 0.5*math.Cos((hour-4)/24*2*math.Pi)
	if weekday := (t/(24*3600e3) + 4) % 7; weekday == 0 || weekday == 6 {
		wave *= 0.6
	}
	jitter := Unit(Mix(seed, pool, uint64(t/demandSlot), 32)) - 0.5
	return max(0, min(1, 0.35+0.25*Unit(Mix(pool, 33))+0.5*wave+0.16*jitter))
}
