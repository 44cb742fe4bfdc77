package placement

// machineType is what the list of machine types says of one of them.
type machineType struct {
	gpus float64
	// model is the name of the GPU, or "".
	model string
}

// readMachineTypes reads the list of machine types, by name. Items without a name or a number of GPUs are left out.
//
// Members that are known: num_gpu and gpu_type with product_name (Crusoe Cloud), specs.gpus with name (Lambda),
// gpu.number_of_gpus with instance_type (DataCrunch), gpus with size (Exoscale).
func readMachineTypes(list []any) map[string]machineType {
	types := map[string]machineType{}
	for _, one := range objects(list) {
		if nested := one.object("instance_type"); nested != nil {
			one = nested
		}
		id := one.text("product_name", "instance_type", "name", "type", "id")
		counted := one
		for _, member := range []string{"specs", "gpu"} {
			if nested := one.object(member); nested != nil {
				counted = nested
			}
		}
		gpus, ok := one.number("num_gpu", "num_gpus", "gpus", "gpu_count")
		if !ok {
			gpus, ok = counted.number("gpus", "number_of_gpus", "count", "num_gpus")
		}
		if id != "" && ok && gpus >= 0 {
			types[id] = machineType{gpus, one.text("gpu_type", "gpu_model", "gpu_name")}
		}
	}
	return types
}
