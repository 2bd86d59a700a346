package plan

import "testing"

func TestStatistic(t *testing.T) {
	var s statistic
	for _, text := range []string{"counts=0.5", "a=b=1", "sum of squares=3"} {
		err := s.UnmarshalText([]byte(text))
		if back, _ := s.MarshalText(); (err == nil) != (text != "a=b=1") || err == nil && string(back) != text {
			t.Errorf("%s is %+v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "=", "=1", "counts", "counts=", "counts=x"} {
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
