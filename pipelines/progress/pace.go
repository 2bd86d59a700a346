package progress

import "time"

// A pace is how fast a number grows: over the last window, and over its last few steps at least. So neither a single slow
// step nor a speed of long ago stands for what is going on. Libraries average speeds of equal spans of time: of a number
// that grows by one in ten seconds that leaves noise.
type pace struct{ points []point }

// A point is when a number came to a value.
type point struct {
	at    time.Time
	value int64
}

const (
	window = 30 * time.Second
	fewest = 5 // points
)

// rate returns the growth a second, of a number that has a value now; 0 while nobody knows. The time before the first unit
// does not count: that is how long it takes to begin.
func (p *pace) rate(now time.Time, value int64) float64 {
	if value > 0 && (len(p.points) == 0 || value != p.last().value) {
		p.points = append(p.points, point{now, value})
	}
	for len(p.points) > fewest && now.Sub(p.points[1].at) > window {
		p.points = p.points[1:]
	}
	if len(p.points) < 2 {
		return 0
	}
	first, last := p.points[0], p.last()
	end := last.at
	// What takes longer than a step should is slower than it was.
	if late := now.Add(-last.at.Sub(first.at) / time.Duration(len(p.points)-1)); late.After(end) {
		end = late
	}
	return max(0, float64(last.value-first.value)/end.Sub(first.at).Seconds())
}

func (p *pace) last() point { return p.points[len(p.points)-1] }

// left returns how long the rest of a total takes at a rate, from now on.
func (p *pace) left(now time.Time, done, total int64, rate float64) (left time.Duration, known bool) {
	if rate <= 0 || total <= 0 {
		return 0, false
	}
	seconds := float64(total-done)/rate - now.Sub(p.last().at).Seconds()
	return time.Duration(max(0, seconds) * float64(time.Second)), true
}
