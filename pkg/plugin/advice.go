package plugin

import "github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"

// adviceOn says what to change in the data source's settings if a request to a service fails. section is the one that configures the
// service; ofProject reports that the service's address has the project id.
func adviceOn(section string, ofProject bool) transport.Advice {
	advice := transport.Advice{
		Credential:   "Set a valid one in the data source's settings, section " + section + ".",
		Permission:   "Check it in the data source's settings, section " + section + ".",
		Address:      "Check its address in the data source's settings, section " + section + ".",
		Redirect:     "Set the final address in the data source's settings.",
		RedirectLoop: "Check the addresses in the data source's settings.",
		Bytes: "Query less, such as fewer series or a shorter range, or raise Largest response in the data source's settings, " +
			"section Advanced.",
		Time:        "Choose a shorter range or raise the timeout in the data source's settings, section Advanced.",
		Concurrency: "Refresh less often, or raise Concurrent requests in the data source's settings, section Advanced.",
	}
	if ofProject {
		advice.Permission = "Check it, and the project id, in the data source's settings, sections Connection and " + section + "."
		advice.Address = "Check the addresses and the project id in the data source's settings."
	}
	return advice
}
