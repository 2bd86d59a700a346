package wire

import "testing"

// BenchmarkDecode decodes a document of 100 words, and a contribution of 5 topics to each of them.
func BenchmarkDecode(b *testing.B) {
	ids, ones := make([]uint32, 100), make([]uint32, 100)
	for i := range ids {
		ids[i], ones[i] = uint32(1+i%90), 1
	}
	for name, r := range map[string]*Record{
		"document":     {Round: 3, Body: &Record_Document{Document: &Document{Id: "document 123456", WordGaps: ids, Counts: ones}}},
		"contribution": {Round: 3, Body: &Record_Contribution{Contribution: &Contribution{Unit: "document 123456", Parts: []*Part{{RowGaps: ids[:5], ColumnGaps: ids, Values: make([]byte, 2000)}}}}},
	} {
		encoded, err := Append(nil, r)
		if err != nil {
			b.Fatal(err)
		}
		message := encoded[1:]
		if encoded[0] >= 0x80 {
			message = encoded[2:]
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(message); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
