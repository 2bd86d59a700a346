package date

import "fmt"

// directives are those of strftime that a pattern may have, and what Go calls them. Numbers may lack leading zeros.
var directives = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "1", 'B': "January", 'b': "Jan", 'd': "2", 'A': "Monday", 'a': "Mon", 'j': "002",
	'H': "15", 'I': "3", 'p': "PM", 'M': "4", 'S': "5", 'z': "-0700",
	'F': "2006-1-2", 'T': "15:4:5", 'R': "15:4",
}

// pattern returns the layout of Go for a pattern of strftime. It has the directives above, and between them any
// characters but letters and digits, which Go would take for parts of a date, and T. It must have a year, and a day
// with its month.
func pattern(text string) (layout string, err error) {
	var seen [256]bool
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '%' {
			if c >= '0' && c <= '9' || c != 'T' && (c|0x20 >= 'a' && c|0x20 <= 'z') || c == '_' {
				return "", fmt.Errorf("%q has the letter or digit %q outside of a directive", text, c)
			}
			layout += string(c)
			continue
		}
		if i++; i == len(text) {
			return "", fmt.Errorf("%q ends within a directive", text)
		}
		of, known := directives[text[i]]
		if !known {
			return "", fmt.Errorf("%q has the directive %%%c; known are %%Y %%y %%m %%b %%B %%d %%j %%H %%I %%p %%M "+
				"%%S %%z %%a %%A %%F %%T %%R", text, text[i])
		}
		seen[text[i]] = true
		layout += of
	}
	year, month := seen['Y'] || seen['y'] || seen['F'], seen['m'] || seen['b'] || seen['B'] || seen['F']
	if day := seen['d'] || seen['F']; !year || !(month && day || seen['j']) {
		return "", fmt.Errorf("%q must have a year, a month and a day", text)
	}
	return layout, nil
}
