package words

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// number is how programs write numbers: a sign, digits, digits after the point, an exponent.
var number = regexp.MustCompile(`^([+-]?)([0-9]+)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,3}))?$`)

// mostDigits is the length of the longest whole number that is found again in another spelling: an exponent makes
// longer ones of few bytes.
const mostDigits = 40

// User returns the one spelling of a user: in NFC, without white space around, and a whole number as its digits: 7 is
// 7.0, +7 and 007. By rule 1 each spelling is a user.
//
// Two spellings that become one user make units larger. That is safe: who is protected together with others is
// protected. So no user becomes none, which would make units of single documents: white space alone is one space. Case
// stays, since names of users may differ in it.
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

// whole returns the digits of a whole number, and anything else as it is.
func whole(s string) string {
	parts := number.FindStringSubmatch(s)
	if parts == nil {
		return s
	}
	sign, digits, fraction := parts[1], parts[2], strings.TrimRight(parts[3], "0")
	exponent := 0
	if parts[4] != "" {
		exponent, _ = strconv.Atoi(parts[4]) // of three digits
	}
	digits = strings.TrimLeft(digits+fraction, "0")
	zeros := exponent - len(fraction) // to append, or to take away
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
