package parquet

import (
	"math"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pageHeader returns the header of the page with all values in a chunk.
func pageHeader(values, size int) ([]byte, error) {
	return thrift.Marshal(new(thrift.CompactProtocol), &format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(size), CompressedPageSize: int32(size),
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: int32(values), Encoding: format.Plain,
			// A required column has no levels.
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		}),
	})
}

// footer is the metadata of the file.
func (w *Writer) footer() ([]byte, error) {
	columns := len(w.texts) + len(w.numbers)
	meta := format.FileMetaData{
		Version: 1, NumRows: w.total, CreatedBy: "privpipe",
		Schema: []format.SchemaElement{{Name: "schema", NumChildren: thrift.New(int32(columns))}},
	}
	for i := range columns {
		element := format.SchemaElement{
			Name: w.name(i), Type: thrift.New(w.kind(i)), RepetitionType: thrift.New(format.Required),
		}
		if w.kind(i) == format.ByteArray {
			element.ConvertedType = thrift.New(deprecated.UTF8)
			element.LogicalType = format.LogicalType{Value: new(format.StringType)}
		}
		meta.Schema = append(meta.Schema, element)
	}
	for n, g := range w.groups {
		group := format.RowGroup{NumRows: g.rows, Ordinal: int16(min(n, math.MaxInt16))}
		for i, c := range g.columns {
			group.TotalByteSize += c.size
			group.Columns = append(group.Columns, format.ColumnChunk{MetaData: format.ColumnMetaData{
				Type: w.kind(i), Encoding: []format.Encoding{format.Plain}, PathInSchema: []string{w.name(i)},
				Codec:     format.Uncompressed,
				NumValues: g.rows, TotalUncompressedSize: c.size, TotalCompressedSize: c.size, DataPageOffset: c.offset,
			}})
		}
		meta.RowGroups = append(meta.RowGroups, group)
	}
	return thrift.Marshal(new(thrift.CompactProtocol), &meta)
}

// name and kind describe a column of the table. Columns of text come first.
func (w *Writer) name(column int) string {
	if column < len(w.texts) {
		return w.texts[column]
	}
	return w.numbers[column-len(w.texts)]
}

func (w *Writer) kind(column int) format.Type {
	if column < len(w.texts) {
		return format.ByteArray
	}
	return format.Double
}
