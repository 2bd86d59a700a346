package report

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"privpipe/pipelines/chart"
)

// TestRuns: runs at one x are one point, their mean, with their range, and the axis has room for all of them.
func TestRuns(t *testing.T) {
	f, err := new(Chart).figure(`panel,series,kind,x,y
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

// TestColours: a series has the same colour in all panels, and two series in one panel never share a colour. Where all
// colours are taken, a later panel's series takes a colour that its panel does not use.
func TestColours(t *testing.T) {
	f, err := new(Chart).figure("panel,series,kind,x,y\np,a,line,1,2\np,b,line,1,2\np,c,line,1,2\n" +
		"p,d,line,1,2\np,e,line,1,2\n" +
		"q,c,line,1,2\nq,a,line,1,2\nq,f,line,1,2\nq,g,line,1,2\nr,g,line,1,2\nr,h,line,1,2\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range f.Panels {
		for _, c := range p.Curves {
			got = append(got, fmt.Sprint(p.Title, c.Name, int(c.Color)))
		}
	}
	if want := "pa0 pb1 pc2 pd3 pe4 qc2 qa0 qf5 qg1 rg1 rh0"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
}
