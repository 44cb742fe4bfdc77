package placement

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// sizedName matches the name of a machine type that ends with its number of GPUs, as h100.8x does.
var sizedName = regexp.MustCompile(`^(.+?)[._-]?(\d{1,4})x$`)

// splitSize splits the name of a machine type into the GPU type and the number of GPUs: h100 and 8 for h100.8x.
func splitSize(name string) (gpu string, size float64, ok bool) {
	found := sizedName.FindStringSubmatch(strings.ToLower(name))
	if found == nil {
		return name, 0, false
	}
	size, _ = strconv.ParseFloat(found[2], 64)
	return name[:len(found[1])], size, size > 0
}

// gpuWord matches the word of a name that is a model of GPU: h100, l40s, gb200, mi300x. Machines without GPUs are named alike,
// such as c1a.2x, so a name without such a word is no GPU.
var gpuWord = regexp.MustCompile(`^(?:l4|t4|(?:a|b|gb|gh|h|k|l|mi|p|r|rtx|t|v)\d{2,4}[a-z]{0,2})$`)

// memoryWord matches the size of a GPU's memory, which is part of its name: 80gb.
var memoryWord = regexp.MustCompile(`^\d+gb$`)

// name is a name of a GPU type, a machine type, a quota or a model, as words in lower case.
type name struct {
	words []string
	// gpu is the word that is a model of GPU, or "".
	gpu string
}

var revision = regexp.MustCompile(`^(sxm|pcie)\d*$`)

func parseName(text string) name {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var n name
	for _, word := range words {
		if form := revision.FindStringSubmatch(word); form != nil {
			word = form[1]
		}
		if n.gpu == "" && gpuWord.MatchString(word) {
			n.gpu = word
		}
		n.words = append(n.words, word)
	}
	return n
}

func (n name) has(word string) bool { return slices.Contains(n.words, word) }

// memory is the word with the size of the memory, or "".
func (n name) memory() string {
	if i := slices.IndexFunc(n.words, memoryWord.MatchString); i >= 0 {
		return n.words[i]
	}
	return ""
}

// short are the words that tell GPUs apart, such as h100-80gb; "" for a name without a GPU.
func (n name) short() string {
	if n.gpu == "" {
		return ""
	}
	words := []string{n.gpu, n.memory(), n.form()}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), "-")
}

// mayBe reports whether two names can mean the same GPU: the same model, and nothing that contradicts it. A name that says less,
// such as h100, may be any H100.
func (n name) mayBe(other name) bool {
	if n.gpu == "" || n.gpu != other.gpu {
		return false
	}
	if a, b := n.memory(), other.memory(); a != "" && b != "" && a != b {
		return false
	}
	a, b := n.form(), other.form()
	return a == "" || b == "" || a == b
}

// form is the word of how the GPU is built in, or "".
func (n name) form() string {
	for _, form := range []string{"sxm", "pcie", "nvl"} {
		if n.has(form) {
			return form
		}
	}
	return ""
}

// isPartOf reports whether other has all words of n, so that what is said of n holds for other, too.
func (n name) isPartOf(other name) bool {
	return !slices.ContainsFunc(n.words, func(word string) bool { return !other.has(word) })
}

// without is a name without some words.
func (n name) without(words []string) name {
	n.words = slices.DeleteFunc(slices.Clone(n.words), func(word string) bool { return slices.Contains(words, word) })
	return n
}
