package shares

import (
	"bufio"
	"context"
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/parquet"
	"privpipe/pipelines/wire"
)

// texts and numbers are the columns of the series. The first number is named after the unit.
var texts = []string{"window", "group", "topic", "name"}

// unitName is the plural of a privacy unit.
func unitName(unit wire.Unit) string {
	if unit == wire.Unit_USER {
		return "users"
	}
	return "documents"
}

func numbers(unit wire.Unit) []string {
	return []string{unitName(unit), "low", "high", "share", "share_low", "share_high", "change", "change_low",
		"change_high", "baseline", "alarm"}
}

// fields returns a row's texts and numbers. A number that does not exist is NaN.
func (r *Row) fields() ([]string, []float64) {
	change, alarm := Band{math.NaN(), math.NaN(), math.NaN()}, 0.
	if r.Change != nil {
		change = *r.Change
	}
	if r.Alarm != nil {
		alarm = 1
	}
	return []string{r.Window, r.Group, r.Topic, r.Name}, []float64{
		r.Documents.Value, r.Documents.Low, r.Documents.High, r.Share.Value, r.Share.Low, r.Share.High,
		change.Value, change.Low, change.High, r.Baseline, alarm,
	}
}

// write writes the series to a file.
func write(ctx context.Context, name, format string, unit wire.Unit, rows []Row) error {
	out, err := endpoint.Create(ctx, name, wire.Side_PUBLIC)
	if err != nil {
		return err
	}
	defer out.Abort()
	buffered := bufio.NewWriter(out)
	if format == "parquet" {
		err = writeParquet(buffered, unit, rows)
	} else {
		err = writeCSV(buffered, unit, rows)
	}
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return err
	}
	return out.Commit()
}

// writeCSV writes numbers with six digits, since the noise hides the rest. A number that does not exist is empty.
func writeCSV(to io.Writer, unit wire.Unit, rows []Row) error {
	out := csv.NewWriter(to)
	if err := out.Write(append(append([]string(nil), texts...), numbers(unit)...)); err != nil {
		return err
	}
	for i := range rows {
		line, values := rows[i].fields()
		for _, x := range values {
			text := ""
			if !math.IsNaN(x) {
				text = strconv.FormatFloat(x, 'g', 6, 64)
			}
			line = append(line, text)
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func writeParquet(to io.Writer, unit wire.Unit, rows []Row) error {
	out := parquet.NewWriter(to, texts, numbers(unit))
	for i := range rows {
		if err := out.Write(rows[i].fields()); err != nil {
			return err
		}
	}
	return out.Close()
}
