package scenario

// Load is the load on the hardware. An instant load has each part between 0 and 1, and Time 1.
// An accumulated load is its integral over time, in seconds, so Time is the seconds that have passed.
// Because both have the same shape, a gauge and its counter are the same weights over a Load.
type Load struct {
	Time     float64 // always on: idle power, background chatter
	Compute  float64 // share of time in which GPU kernels run
	Tensor   float64 // tensor-core activity, which is what draws power
	Memory   float64 // GPU memory in use
	Network  float64 // traffic between nodes: gradients over InfiniBand and NVLink
	Read     float64 // reading data sets
	Write    float64 // writing checkpoints
	Requests float64 // inference requests served

	Congestion float64 // waiting for the network between nodes
}

// Dot returns the sum of the parts, weighted.
func (l *Load) Dot(weights *Load) float64 {
	return l.Time*weights.Time + l.Compute*weights.Compute + l.Tensor*weights.Tensor + l.Memory*weights.Memory +
		l.Network*weights.Network + l.Read*weights.Read + l.Write*weights.Write + l.Requests*weights.Requests +
		l.Congestion*weights.Congestion
}

// Plus returns l + seconds × other.
func (l Load) Plus(other *Load, seconds float64) Load {
	l.add(other, seconds)
	return l
}

func (l *Load) add(other *Load, seconds float64) {
	l.Time += seconds * other.Time
	l.Compute += seconds * other.Compute
	l.Tensor += seconds * other.Tensor
	l.Memory += seconds * other.Memory
	l.Network += seconds * other.Network
	l.Read += seconds * other.Read
	l.Write += seconds * other.Write
	l.Requests += seconds * other.Requests
	l.Congestion += seconds * other.Congestion
}

// slow lets what trains proceed at a part of its pace.
func (l *Load) slow(pace float64) {
	if l.trains() {
		l.Tensor *= pace
		l.Network *= pace
	}
}

// congest has kernels wait for the network between nodes.
func (l *Load) congest() {
	if l.trains() {
		l.slow(0.05)
		l.Congestion = 1
	}
}

func (l *Load) trains() bool { return l.Tensor >= 0.05 }

// PhaseKind is a stage in the life of a job, or of the nodes between jobs.
type PhaseKind string

// The phases of a training job, in the order in which they come. Training and Checkpointing alternate.
const (
	Validating    PhaseKind = "validating_files"
	Queued        PhaseKind = "queued"
	Loading       PhaseKind = "loading"
	Warmup        PhaseKind = "warmup"
	Training      PhaseKind = "training"
	Checkpointing PhaseKind = "checkpointing"
	Evaluating    PhaseKind = "evaluating"
	Saving        PhaseKind = "saving"
	Paused        PhaseKind = "paused"  // anywhere in between
	Stalled       PhaseKind = "stalled" // a hanging job, see Stall
)

// idle is the load of nodes on which nothing runs.
var idle = Load{Time: 1, Memory: 0.008}

// loads has the load of each phase that occupies GPUs; the others leave nodes idle. On clusters that train large models kernels
// run all the time or not at all, and the tensor cores are active for half of it: Hu et al., "Characterization of Large Language
// Model Development in the Datacenter", NSDI '24, https://github.com/InternLM/AcmeTrace.
var loads = map[PhaseKind]Load{
	Loading:       {Time: 1, Compute: 0.01, Memory: 0.34, Network: 0.08, Read: 1},
	Warmup:        {Time: 1, Compute: 0.985, Tensor: 0.22, Memory: 0.71, Network: 0.30, Read: 0.4},
	Training:      {Time: 1, Compute: 0.985, Tensor: 0.66, Memory: 0.87, Network: 0.80, Read: 0.12},
	Checkpointing: {Time: 1, Compute: 0.02, Memory: 0.87, Network: 0.06, Write: 1},
	Evaluating:    {Time: 1, Compute: 0.985, Tensor: 0.45, Memory: 0.62, Network: 0.22, Read: 0.3},
	Saving:        {Time: 1, Compute: 0.01, Memory: 0.50, Network: 0.04, Write: 0.9},
	Stalled:       {Time: 1, Compute: 0.002, Memory: 0.87},
}
