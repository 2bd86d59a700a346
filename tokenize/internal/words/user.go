package words

import (
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"privpipe/tokenize/internal/lazy"
)

// number matches the ways that programs write numbers: a sign, digits, digits after the point, an exponent.
var number = lazy.Regexp(`^([+-]?)([0-9]+)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,3}))?$`)

// mostDigits bounds the length of whole numbers that are recognized in a spelling with an exponent. An exponent makes
// very long numbers from few bytes.
const mostDigits = 40

// User returns the one spelling for a user. The spelling is in NFC, without white space around it. A whole number is
// written as its digits: 7.0, +7 and 007 become 7. By rule 1 each spelling is a user.
//
// If two spellings become one user, units grow. This is safe: a person who is protected together with others is
// protected. A user must not become the empty user, since each document would then be a unit of its own. So white space
// alone becomes one space. Case stays, since names of users may differ in it.
func (r Rule) User(user string) string {
	if !r.second() || user == "" {
		return user
	}
	trimmed := strings.TrimSpace(norm.NFC.String(user))
	if trimmed == "" {
		return " "
	}
	if c := trimmed[len(trimmed)-1]; c == '.' || '0' <= c && c <= '9' {
		return whole(trimmed)
	}
	return trimmed
}

// whole returns the digits if s is a whole number, and else s.
func whole(s string) string {
	parts := number().FindStringSubmatch(s)
	if parts == nil {
		return s
	}
	sign, digits, fraction := parts[1], parts[2], strings.TrimRight(parts[3], "0")
	exponent := 0
	if parts[4] != "" {
		exponent, _ = strconv.Atoi(parts[4]) // three digits at most
	}
	digits = strings.TrimLeft(digits+fraction, "0")
	zeros := exponent - len(fraction) // number of zeros to append; negative: to remove
	if digits == "" {
		return "0"
	}
	switch {
	case zeros < 0:
		kept := strings.TrimSuffix(digits, strings.Repeat("0", -zeros))
		if len(kept) == len(digits) {
			return s
		}
		digits = kept
	case zeros > 0 && len(digits)+zeros > mostDigits:
		return s
	default:
		digits += strings.Repeat("0", zeros)
	}
	if sign == "-" {
		digits = "-" + digits
	}
	return digits
}
