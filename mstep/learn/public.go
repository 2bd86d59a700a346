package learn

import (
	"encoding/binary"
	"fmt"

	"privpipe/pipelines/model/publictext"
)

// PublicText returns the settings that name a public text, so that a run is not resumed with another text. They are the
// text's digest, 32 bits in each number. Without a text there are none.
func PublicText(text *publictext.Text) []Setting {
	var settings []Setting
	for i := range 8 {
		setting := Setting{Name: fmt.Sprintf("public_text_%d", i), Optional: true}
		if text != nil {
			setting.Value = float64(binary.BigEndian.Uint32(text.Digest[4*i:]))
		}
		settings = append(settings, setting)
	}
	return settings
}
