package progress

import "time"

// A pace measures how fast a number grows, over the last window and over at least its last few steps. So neither a
// single slow step nor an old speed dominates. Libraries average over equal spans of time, which is noise for a number
// that grows by one in ten seconds.
type pace struct{ points []point }

// A point is the time at which the number reached a value.
type point struct {
	at    time.Time
	value int64
}

const (
	window = 30 * time.Second
	fewest = 5 // points
)

// rate returns a number's growth in one second, given its current value; 0 while the growth is unknown. The time before
// the first unit does not count, because it is the time to start.
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
	// If the current step takes longer than the rate predicts, the rate has dropped.
	if late := now.Add(-last.at.Sub(first.at) / time.Duration(len(p.points)-1)); late.After(end) {
		end = late
	}
	return max(0, float64(last.value-first.value)/end.Sub(first.at).Seconds())
}

func (p *pace) last() point { return p.points[len(p.points)-1] }

// left returns the time that the rest of the total takes at the given rate.
func (p *pace) left(now time.Time, done, total int64, rate float64) (left time.Duration, known bool) {
	if rate <= 0 || total <= 0 {
		return 0, false
	}
	seconds := float64(total-done)/rate - now.Sub(p.last().at).Seconds()
	return time.Duration(max(0, seconds) * float64(time.Second)), true
}
