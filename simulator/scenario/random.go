package scenario

import "time"

// Mix hashes its arguments into a well-spread 64-bit number (splitmix64, chained).
// It is the simulator's only source of chance, so everything can be computed again.
func Mix(parts ...uint64) uint64 {
	var h uint64
	for _, part := range parts {
		h = scramble(h ^ part)
	}
	return h
}

func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// seed is what the chances of the scenario start from.
const seed = uint64(0)

// Unit maps a hash to [0, 1).
func Unit(hash uint64) float64 { return float64(hash>>11) / (1 << 53) }

// dice is a sequence of chances that starts from a hash.
type dice struct{ state uint64 }

func (d *dice) next() uint64 {
	d.state = scramble(d.state)
	return d.state
}

func (d *dice) unit() float64 { return Unit(d.next()) }

// between returns a duration in [low, high), in milliseconds.
func (d *dice) between(low, high time.Duration) int64 {
	return low.Milliseconds() + int64(d.unit()*float64((high-low).Milliseconds()))
}
