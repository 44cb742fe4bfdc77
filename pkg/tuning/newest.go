package tuning

import "slices"

// newest collects items and keeps the first of them in the order of compare, so that memory is bounded however many there are.
type newest[T any] struct {
	most    int
	compare func(a, b T) int
	items   []T
	// total is how many items were added.
	total int
}

func (n *newest[T]) add(item T) {
	n.total++
	if n.items = append(n.items, item); len(n.items) >= 2*n.most {
		n.sorted()
	}
}

// sorted are the items that are kept.
func (n *newest[T]) sorted() []T {
	slices.SortStableFunc(n.items, n.compare)
	if len(n.items) > n.most {
		clear(n.items[n.most:])
		n.items = n.items[:n.most]
	}
	return n.items
}
