//go:build engines

package engines

import (
	"fmt"
	"math"
	"time"
)

// The truth about the training run of the dataset, from which its samples are made.
const (
	runPool  = "train"
	runNodes = 2
	runGPUs  = 4
	// runLength is the length of the run, of which the GPUs are idle at first. At the end all of them are at their power
	// limit, and one of each node is slower than the others.
	runLength    = 4 * time.Hour
	runIdle      = 30 * time.Minute
	runThrottled = time.Hour
	idleWatts    = 100.0
	busyWatts    = 400.0
	// runRestart is when the pod of the run stops, and runPause for how long.
	runRestart = 90 * time.Minute
	runPause   = 20 * time.Minute
)

// runStart is a minute, and an hour before the end of the run the samples end.
func (d dataset) runStart() time.Time { return d.to.Add(-runLength - time.Hour).Truncate(time.Minute) }

// addRun adds the GPUs of two node pools, one of which is used by a training run, and the metrics of the run's pod.
func (d *dataset) addRun() {
	start := d.runStart()
	end := start.Add(runLength)
	for node := range runNodes {
		for gpu := range runGPUs {
			for _, pool := range []string{runPool, "other"} {
				d.addGPU(pool, fmt.Sprintf("%s-%d", pool, node), fmt.Sprint(gpu), start, end)
			}
		}
	}
	loss := series{name: "training_loss", labels: [][2]string{{"pod_name", "train-0"}, {"pool", runPool}}}
	for at := start.Add(7 * time.Second); at.Before(end); at = at.Add(interval) {
		if since := at.Sub(start); since < runRestart || since >= runRestart+runPause {
			loss.samples = append(loss.samples, sample{at: at, value: 3 * math.Exp(-since.Hours())})
		}
	}
	d.series = append(d.series, loss)
}

// addGPU adds the metrics of a GPU. Those of the other pool are at full load all the time.
func (d *dataset) addGPU(pool, node, gpu string, start, end time.Time) {
	labels := [][2]string{{"instance", node}, {"vm_name", node}, {"gpu", gpu}, {"nodepool_name", pool}, {"modelName", "NVIDIA H100 80GB HBM3"}}
	var util, power, energy, violation, xid, clock []sample
	joules, throttled := 0.0, 0.0
	previous := start.Add(-time.Hour)
	for at := previous.Add(11 * time.Second); at.Before(d.to); at = at.Add(interval) {
		load, watts, megahertz := 100.0, busyWatts, 1980.0
		if pool == runPool && at.Before(start.Add(runIdle)) || pool == runPool && !at.Before(end) {
			load, watts = 0, idleWatts
		}
		if pool == runPool && at.Before(end) && !at.Before(end.Add(-runThrottled)) {
			throttled += at.Sub(previous).Seconds() / 2
			if gpu == "1" {
				megahertz = 1500
			}
		}
		joules += watts * at.Sub(previous).Seconds()
		code := 0.0
		if pool == runPool && gpu == "0" && !at.Before(start.Add(2*time.Hour)) {
			code = 79
		}
		util, power = append(util, sample{at: at, value: load}), append(power, sample{at: at, value: watts})
		energy, violation = append(energy, sample{at: at, value: math.Round(joules * 1000)}), append(violation, sample{at: at, value: math.Round(throttled * 1e9)})
		xid, clock = append(xid, sample{at: at, value: code}), append(clock, sample{at: at, value: megahertz})
		previous = at
	}
	for name, samples := range map[string][]sample{
		"GPU_UTIL": util, "POWER_USAGE": power, "TOTAL_ENERGY_CONSUMPTION": energy, "POWER_VIOLATION": violation, "XID_ERRORS": xid, "SM_CLOCK": clock,
	} {
		d.series = append(d.series, series{name: "DCGM_FI_DEV_" + name, labels: labels, samples: samples})
	}
}
