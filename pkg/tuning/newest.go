package tuning

import "slices"

// newest keeps the first items in the order of compare, with bounded memory.
type newest[T any] struct {
	limit   int
	compare func(a, b T) int
	items   []T
	// total is the number of items that were added.
	total int
}

func (n *newest[T]) add(item T) {
	n.total++
	if n.items = append(n.items, item); len(n.items) >= 2*n.limit {
		n.sorted()
	}
}

// sorted are the first items, sorted.
func (n *newest[T]) sorted() []T {
	slices.SortStableFunc(n.items, n.compare)
	if len(n.items) > n.limit {
		clear(n.items[n.limit:])
		n.items = n.items[:n.limit]
	}
	return n.items
}
