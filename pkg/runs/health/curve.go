package health

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Point is a value of a metric during training.
type Point struct {
	// At is zero, and Step is NaN, where it is unknown.
	At    time.Time
	Step  float64
	Value float64
}

// Direction is which values of a metric are better.
type Direction string

// The directions. Of a metric whose direction is unknown, it can't be said what is wrong, but that it is not finite.
const (
	Lower            Direction = "lower"
	Higher           Direction = "higher"
	UnknownDirection Direction = "unknown"
)

// Words in names of metrics, in this order: the loss scale of mixed precision is no loss, an error rate is no rate, and a loss of a
// step or an epoch is a loss. Penalties beside the loss grow as a model departs from where it began: those of the balance of experts (Switch
// Transformers, arXiv 2101.03961), of their router (ST-MoE, arXiv 2202.08906), and of the divergence from a reference model. Losses of a policy and its value function are of what
// reinforcement learning samples, which differs from one step to the next, and those of adversaries of each other.
var directions = []struct {
	direction Direction
	words     []string
}{
	{UnknownDirection, []string{"scale", "grad", "norm", "learning", "lr", "seconds", "time", "std"}},
	{UnknownDirection, []string{"aux", "auxiliary", "balance", "balancing", "router", "z", "kl", "policy", "pg", "actor", "vf", "generator", "discriminator"}},
	{Lower, losses},
	{Lower, []string{"error", "wer", "cer", "mse", "mae", "rmse"}},
	{Higher, []string{"accuracy", "acc", "reward", "rew", "return", "bleu", "rouge", "f1", "auc", "precision", "recall", "score", "pass", "success", "win"}},
}

// losses are words in names of what training minimizes: they say how sure a model is of what is right, not how often it is right.
var losses = []string{"loss", "perplexity", "ppl", "nll", "cross", "bpb"}

// rewards are words in names of what reinforcement learning maximizes.
var rewards = []string{"reward", "rew", "return"}

// counterEndings end names of counters, by Prometheus' convention (prometheus.io/docs/practices/naming). They grow, whatever they count.
var counterEndings = []string{"_total", "_count", "_sum"}

// words are the parts of a metric's name, in lower case.
func words(metric string) []string {
	return strings.FieldsFunc(strings.ToLower(metric), func(r rune) bool { return strings.ContainsRune(" _-./:@", r) })
}

func hasWord(metric string, known []string) bool {
	return slices.ContainsFunc(words(metric), func(word string) bool { return slices.Contains(known, word) })
}

// DirectionOf says by the words of a metric's name which values are better.
func DirectionOf(metric string) Direction {
	if slices.ContainsFunc(counterEndings, func(ending string) bool { return strings.HasSuffix(metric, ending) }) {
		return UnknownDirection
	}
	for _, d := range directions {
		if hasWord(metric, d.words) {
			return d.direction
		}
	}
	return UnknownDirection
}

// validationWords are words in names of metrics on data that the model is not trained on.
var validationWords = []string{"valid", "val", "validation", "eval", "evaluation", "dev", "test", "heldout"}

// isValidation reports by its name whether a metric is measured on data that the model is not trained on.
func isValidation(metric string) bool {
	return hasWord(metric, validationWords)
}

// minPoints is how many finite values it takes to find more than values that are not finite: two windows of five.
const minPoints = 10

// smoothing is over how many points a level is the median: two outliers among five don't move it.
const smoothing = 5

// curve is what findings about values are made from: the finite points, on a scale on which lower is better.
type curve struct {
	direction Direction
	// points have finite values, and y are these: logarithms if lower values are better and all are positive, and negated if
	// higher ones are better.
	points []Point
	y      []float64
	// level is the running median of y, noise the deviation of y around its trend from one point to the next, sway that over many points,
	// until the best, and best the position of the lowest level.
	level []float64
	noise float64
	sway  float64
	best  int
}

// noiseFloor is the least noise, as a share of the distance between the highest and the lowest level: without it, a curve
// without noise would have outliers of any size. Values of four digits are rounded by less than that.
const noiseFloor = 0.002

func newCurve(points []Point, direction Direction) *curve {
	c := &curve{direction: direction}
	positive := true
	for _, p := range points {
		if isFinite(p.Value) {
			c.points = append(c.points, p)
			positive = positive && p.Value > 0
		}
	}
	c.y = make([]float64, len(c.points))
	for i, p := range c.points {
		switch {
		case direction == Higher:
			c.y[i] = -p.Value
		case positive && direction == Lower:
			c.y[i] = math.Log(p.Value)
		default:
			c.y[i] = p.Value
		}
	}
	if len(c.y) < minPoints {
		return c
	}
	c.level = runningMedians(c.y, smoothing)
	c.best = lowest(c.level, smoothing-1)
	settled := c.y[:max(smoothing, len(c.y)-judged)]
	recent := settled[max(0, len(settled)-window):] // the logarithm of a loss near zero is noisier than that of a high one
	c.noise = max(noiseOf(settled), noiseOf(recent), c.rounding(), noiseFloor*(slices.Max(c.level[smoothing-1:])-c.level[c.best]))
	c.sway = max(c.noise, swayOf(settled[:min(len(settled), max(c.best, window))]))
	return c
}

// lowest is the position of the first of the lowest values from a position on.
func lowest(values []float64, from int) int {
	return from + slices.Index(values[from:], slices.Min(values[from:]))
}

// rounding is half of the last digit of the newest values, on the scale of y. Values of few digits differ by it now and then although most
// don't differ at all, so that they have no deviation.
func (c *curve) rounding() float64 {
	values := make([]float64, 0, window)
	for _, p := range c.points[max(0, len(c.points)-window):] {
		values = append(values, p.Value)
	}
	scale := 1.0
	if c.isLogarithmic() {
		scale = Median(values)
	}
	return lastDigit(values) / 2 / scale
}

const (
	// judged is how many of the newest points have no part in the sway: whether they are ordinary is the question. It is as many as a level and what
	// makes it.
	judged = 8
	// window is of how many points the newest are, and those that others are compared with: few enough that the trend of a run of some hundred points is
	// small within them, and enough to know a deviation to a fifth.
	window = 32
)

func (c *curve) last() int { return len(c.points) - 1 }

// value converts back from the scale of y.
func (c *curve) value(y float64) float64 {
	switch {
	case c.direction == Higher:
		return -y
	case c.isLogarithmic():
		return math.Exp(y)
	}
	return y
}

// share is how far from a value on the scale of y another is that differs by a share of it.
func (c *curve) share(share, of float64) float64 {
	if c.isLogarithmic() {
		return share
	}
	return share * math.Abs(c.value(of))
}

func (c *curve) isLogarithmic() bool {
	return c.direction == Lower && c.y[0] == math.Log(c.points[0].Value)
}

func isFinite(value float64) bool { return !math.IsNaN(value) && !math.IsInf(value, 0) }
