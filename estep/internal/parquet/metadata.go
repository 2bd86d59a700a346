package parquet

// Enumerations of parquet.thrift.
const (
	required = 0 // FieldRepetitionType

	double    = 5 // Type
	byteArray = 6

	utf8 = 0 // ConvertedType

	plain = 0 // Encoding
	rle   = 3

	uncompressed = 0 // CompressionCodec

	dataPage = 0 // PageType
)

// pageHeader is a PageHeader of a page of all values of a chunk.
func pageHeader(values, size int) []byte {
	var t thrift
	t.element(func(t *thrift) {
		t.int32(1, dataPage)
		t.int32(2, int32(size)) // uncompressed
		t.int32(3, int32(size))
		t.record(5, func(t *thrift) { // DataPageHeader
			t.int32(1, int32(values))
			t.int32(2, plain)
			t.int32(3, rle) // of definition levels, of which a required column has none
			t.int32(4, rle) // of repetition levels, as well
		})
	})
	return t.b
}

// footer is the FileMetaData.
func (w *Writer) footer() []byte {
	columns := len(w.numbers) + 1
	var t thrift
	t.element(func(t *thrift) {
		t.int32(1, 1) // version
		t.list(2, record, columns+1)
		t.element(func(t *thrift) { // SchemaElement of the root
			t.string(4, "schema")
			t.int32(5, int32(columns))
		})
		for i := range columns {
			t.element(func(t *thrift) {
				t.int32(1, kind(i))
				t.int32(3, required)
				t.string(4, w.name(i))
				if i == 0 {
					t.int32(6, utf8)
					t.record(10, func(t *thrift) { t.record(1, func(*thrift) {}) }) // LogicalType: string
				}
			})
		}
		t.int64(3, w.total)
		t.list(4, record, len(w.groups))
		for _, g := range w.groups {
			t.element(func(t *thrift) { w.rowGroup(t, g) })
		}
		t.string(6, "privpipe")
	})
	return t.b
}

// rowGroup adds the fields of a RowGroup.
func (w *Writer) rowGroup(t *thrift, g group) {
	total := int64(0)
	t.list(1, record, len(g.columns))
	for i, c := range g.columns {
		total += c.size
		t.element(func(t *thrift) { // ColumnChunk
			t.int64(2, c.offset)
			t.record(3, func(t *thrift) { // ColumnMetaData
				t.int32(1, kind(i))
				t.list(2, number32, 1)
				t.zigzag(plain)
				t.list(3, binary8, 1)
				t.bytes(w.name(i))
				t.int32(4, uncompressed)
				t.int64(5, g.rows)
				t.int64(6, c.size)
				t.int64(7, c.size)
				t.int64(9, c.offset)
			})
		})
	}
	t.int64(2, total)
	t.int64(3, g.rows)
}

// name and kind are of a column of the table: the first has text.
func (w *Writer) name(column int) string {
	if column == 0 {
		return w.text
	}
	return w.numbers[column-1]
}

func kind(column int) int32 {
	if column == 0 {
		return byteArray
	}
	return double
}
