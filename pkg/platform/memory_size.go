package platform

// Bytes of parsed JSON on the heap of a 64-bit machine.
const (
	interfaceBytes, stringBytes, sliceBytes, numberBytes = 16, 16, 24, 8
	// mapBytes is a map without members. Its slots hold a name and an any, and are allocated in groups of eight, which
	// are full at most by seven eighths where there are several.
	mapBytes, slotBytes, groupSlots = 48, stringBytes + interfaceBytes + 1, 8
)

// weigh estimates the memory that a parsed answer takes, in bytes. It counts what an any refers to, not the any.
func weigh(value any) int {
	switch v := value.(type) {
	case string:
		return stringBytes + len(v)
	case []any:
		bytes := sliceBytes + len(v)*interfaceBytes
		for _, entry := range v {
			bytes += weigh(entry)
		}
		return bytes
	case map[string]any:
		bytes := mapBytes + slots(len(v))*slotBytes
		for name, member := range v {
			bytes += len(name) + weigh(member)
		}
		return bytes
	case nil, bool:
		return 0
	}
	return numberBytes
}

// slots is how many members a map of so many has room for.
func slots(members int) int {
	if members <= groupSlots {
		return groupSlots
	}
	room := 2 * groupSlots
	for room*7/8 < members {
		room *= 2
	}
	return room
}
