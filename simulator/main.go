package main

import _ "github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"

func main() {}
