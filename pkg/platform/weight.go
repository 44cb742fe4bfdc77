package platform

// Bytes of parsed JSON on the heap of a 64-bit machine.
const (
	// interfaceBytes is the size of an any, stringBytes that of a string's header.
	interfaceBytes, stringBytes = 16, 16
	numberBytes                 = 8
	// mapBytes is an empty map, memberBytes one member of it: a name and an any, in a table that is part empty.
	mapBytes, memberBytes = 48, 48
)

// weigh estimates the memory that a parsed answer takes, in bytes. It counts what an any refers to, not the any.
func weigh(value any) int {
	switch v := value.(type) {
	case string:
		return stringBytes + len(v)
	case []any:
		bytes := 24 + len(v)*interfaceBytes
		for _, entry := range v {
			bytes += weigh(entry)
		}
		return bytes
	case map[string]any:
		bytes := mapBytes
		for name, member := range v {
			bytes += memberBytes + len(name) + weigh(member)
		}
		return bytes
	case nil, bool:
		return 0
	}
	return numberBytes
}
