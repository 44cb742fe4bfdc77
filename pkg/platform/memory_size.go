package platform

// Sizes of parsed JSON on the heap of a 64-bit machine, in bytes.
const (
	interfaceBytes, stringBytes, sliceBytes, numberBytes = 16, 16, 24, 8
	// mapBytes is an empty map. Its slots hold a name and an any. They are allocated in groups of eight; the load factor of
	// several groups is at most seven eighths.
	mapBytes, slotBytes, groupSlots = 48, stringBytes + interfaceBytes + 1, 8
)

// memorySize estimates the memory of a parsed response, in bytes. It counts the value that an any refers to, not the any.
func memorySize(value any) int {
	switch v := value.(type) {
	case string:
		return stringBytes + len(v)
	case []any:
		bytes := sliceBytes + len(v)*interfaceBytes
		for _, entry := range v {
			bytes += memorySize(entry)
		}
		return bytes
	case map[string]any:
		bytes := mapBytes + mapSlots(len(v))*slotBytes
		for name, member := range v {
			bytes += len(name) + memorySize(member)
		}
		return bytes
	case nil, bool:
		return 0
	}
	return numberBytes
}

// mapSlots is the capacity of a map with that many members.
func mapSlots(members int) int {
	if members <= groupSlots {
		return groupSlots
	}
	room := 2 * groupSlots
	for room*7/8 < members {
		room *= 2
	}
	return room
}
