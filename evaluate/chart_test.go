package main

import (
	"reflect"
	"testing"

	"privpipe/pipelines/chart"
)

// TestRuns: runs at one x are one point, their mean, with their range, and the axis has room for all of them.
func TestRuns(t *testing.T) {
	f, err := new(chartCommand).figure(`panel,series,kind,x,y
p,moments,line,1,900
p,moments,line,1,750
p,level,level,1,800
p,moments,line,1,900
p,moments,line,2,800
`)
	if err != nil {
		t.Fatal(err)
	}
	got := f.Panels[0].Curves[0]
	want := chart.Curve{
		Name: "moments", Kind: chart.Marked, Points: []chart.Point{{X: 1, Y: 850}, {X: 2, Y: 800}},
		Ranges: []chart.Range{{Least: 750, Greatest: 900}, {Least: 800, Greatest: 800}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the curve is %+v, want %+v", got, want)
	}
	if y := f.Panels[0].Y; y.Min > 750 || y.Max < 900 {
		t.Errorf("the axis is from %v to %v", y.Min, y.Max)
	}
}
