package gateway

import (
	"time"
	"unsafe"
)

// Sizes on the heap of a 64-bit machine, in bytes.
const (
	numberBytes, timeBytes = 8, int(unsafe.Sizeof(time.Time{}))
	// A map has 48 bytes, and groups of eight slots with a name and a value each.
	mapBytes, groupSlots, slotBytes = 48, 8, int(unsafe.Sizeof("")) + numberBytes
	// minText is the least that a text takes beside its header.
	minText = 8
)

// memory estimates what an event takes in the cache, in bytes, which is several times the length of its JSON.
func (e Event) memory() int {
	return int(unsafe.Sizeof(e)) + texts(e.ID, e.Level, e.Message, e.Type) + times(e.Created) + numbers(e.Step, e.TotalSteps) + mapMemory(e.Metrics)
}

// memory is as that of an event.
func (c Checkpoint) memory() int {
	return int(unsafe.Sizeof(c)) + texts(c.ID, c.Model) + times(c.Created) + numbers(c.Step) + mapMemory(c.Metrics)
}

// memory is as that of an event.
func (j Job) memory() int {
	bytes := int(unsafe.Sizeof(j)) + mapMemory(j.Metadata) +
		texts(j.ID, j.Status, j.Model, j.FineTunedModel, j.Suffix, j.TrainingFile, j.ValidationFile, j.Error, j.NodePool) +
		times(j.Created, j.Finished, j.EstimatedFinish) + numbers(j.TrainedTokens, j.Epochs, j.BatchSize, j.LearningRate, j.GPUs)
	for name, value := range j.Metadata {
		bytes += texts(name, value) + minText // a slot has the header of a text in place of a number
	}
	return bytes
}

// memory is as that of an event.
func (f File) memory() int {
	return int(unsafe.Sizeof(f)) + texts(f.ID, f.Name, f.Purpose, f.Status) + times(f.Created) + numbers(f.Bytes)
}

// memory is as that of an event.
func (s Sample) memory() int {
	return int(unsafe.Sizeof(s)) + texts(s.Metric) + times(s.At) + numbers(s.Step)
}

// memoryOf is that of a list.
func memoryOf[T interface{ memory() int }](items []T) (bytes int) {
	for _, item := range items {
		bytes += item.memory()
	}
	return bytes
}

func texts(all ...string) (bytes int) {
	for _, text := range all {
		if text != "" {
			bytes += max(minText, len(text))
		}
	}
	return bytes
}

func times(all ...*time.Time) (bytes int) {
	for _, at := range all {
		if at != nil {
			bytes += timeBytes
		}
	}
	return bytes
}

func numbers(all ...*float64) (bytes int) {
	for _, number := range all {
		if number != nil {
			bytes += numberBytes
		}
	}
	return bytes
}

// mapMemory is that of a map from names, without the texts.
func mapMemory[T any](m map[string]T) int {
	switch slots := groupSlots; {
	case m == nil:
		return 0
	case len(m) == 0:
		return mapBytes
	default:
		for slots*7/8 < len(m) && len(m) > groupSlots {
			slots *= 2
		}
		return mapBytes + slots*(slotBytes+1)
	}
}
