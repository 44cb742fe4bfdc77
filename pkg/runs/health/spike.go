package health

import "fmt"

const (
	// spikeWindow is of how many points before it a point is compared with the median and the deviation: few enough that the trend of a run
	// of some hundred points is small within them, and enough to know a deviation to a fifth.
	spikeWindow = 32
	// spikeScore is the robust z-score of a spike. OLMo 2 counts values that are seven standard deviations from the average of
	// 1,000 steps (arXiv 2501.00656, section 3.1); windows here are shorter, and their deviations less certain.
	spikeScore = 8
	// spikeShare is how high a spike is at least, as a share of the improvement so far. Smaller ones are of no interest: it is
	// a choice, not measured.
	spikeShare = 0.05
	// recoveredPoints is how many points after a spike have to be back for it to have ended: one between two high ones is a chance.
	recoveredPoints = 3
	// recoveredShare is how much of a spike may be left when it has ended: at a height of 8 deviations, two are usual noise.
	recoveredShare = 0.25
)

// spike finds the newest point that stands out from those before it: with the median m and the deviation s of the
// logarithms of the spikeWindow points before, its z-score is (y - m) / s. Most spikes recover within some hundred steps, as
// PaLM's did after 200 to 500 batches had been skipped (arXiv 2204.02311, section 5.1). One of which nothing came back is no
// spike, but the begin of a divergence. A single point is one only if it is worse than the first ones: raw losses have batches that are hard
// to predict, such as that of step 1,760 in each of the runs of modded-nanogpt, which stand out by up to half of the improvement.
func (c *curve) spike() *Finding {
	var found *Finding
	usual := runningMedians(c.y, 2*smoothing)
	for i := minPoints; i < len(c.y); i++ {
		base := usual[i-1]
		height := c.y[i] - base
		least := max(spikeScore*c.noise, spikeShare*c.improvement)
		if height < least || !c.matters(c.y[i], base) {
			continue
		}
		if alone := i+1 == len(c.y) || c.y[i+1]-base < least/2; alone && height < c.improvement {
			continue
		}
		// A loss that falls steeply has a high deviation, which says nothing about its noise; and one that is a moving average hardly differs from one
		// point to the next, which says nothing about how it sways.
		before := c.y[max(0, i-spikeWindow):i]
		scale := max(min(deviation(before), max(2*noiseOf(before), swayOf(before))), c.noise)
		score := height / scale
		if score < spikeScore {
			continue
		}
		f := &Finding{Kind: Spike, Since: c.points[i], Value: c.points[i].Value}
		peak := i
		end := i + 1
		for back := 0; end < len(c.y); end++ {
			if c.y[end] > c.y[peak] {
				peak = end
			}
			if back++; c.y[end]-base > recoveredShare*(c.y[peak]-base) {
				back = 0
			}
			if back == recoveredPoints {
				break
			}
		}
		f.Value = c.points[peak].Value
		f.Certainty = certaintyOf(score, spikeScore)
		f.Evidence = fmt.Sprintf("It was %s where %s was usual, %.0f times the noise%s", number(f.Value), number(c.value(base)), (c.y[peak]-base)/scale, where(c.points[peak]))
		if end < len(c.y) {
			f.Until = &c.points[end]
			f.Evidence += ", and came back."
		} else {
			f.Evidence += "."
		}
		found = f
		i = end
	}
	return found
}
