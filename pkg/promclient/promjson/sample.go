package promjson

import "bytes"

// plainSample reads a sample in the one way in which query engines write it: [1435781430.781,"0.5"], a time of whole
// seconds or milliseconds, no white space, no escape. That is one pass over bytes in place, where the scanner's tokens
// take several; nearly every sample is one.
//
// It returns the time in milliseconds, the value, and how many bytes the sample took; 0 for anything it is not sure about.
func plainSample(text []byte) (at int64, value float64, length int) {
	if len(text) < lookahead || text[0] != '[' || text[1] == '0' {
		return 0, 0, 0
	}
	i := 1
	for ; i <= timeDigits && isDigit(text[i]); i++ {
		at = at*10 + int64(text[i]-'0')
	}
	at *= 1000
	if i == 1 || at > maxMillis-1000 {
		return 0, 0, 0
	}
	if text[i] == '.' {
		i++
		unit := int64(100)
		for ; unit > 0 && isDigit(text[i]); i++ {
			at += int64(text[i]-'0') * unit
			unit /= 10
		}
		if unit == 100 {
			return 0, 0, 0
		}
	}
	if text[i] != ',' || text[i+1] != '"' {
		return 0, 0, 0
	}
	number := text[i+2:]
	end := bytes.IndexByte(number, '"')
	if end < 0 || end+1 >= len(number) || number[end+1] != ']' {
		return 0, 0, 0
	}
	value, err := parseFloat(number[:end])
	if err != nil {
		return 0, 0, 0
	}
	return at, value, i + 2 + end + 2
}

// timeDigits is how many digits a time has at most before its point; with so few, three more after it are exact in a float64.
const timeDigits = 10

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
