"""Queries the address of the first argument with Python's client of Prometheus, and prints what it returned as JSON."""

import datetime
import json
import sys

from prometheus_api_client import PrometheusApiClientException, PrometheusConnect

client = PrometheusConnect(url=sys.argv[1], headers={"Authorization": "Bearer a-service-account-token"})
end = datetime.datetime.now().replace(second=0, microsecond=0)
start = end - datetime.timedelta(hours=1)
ranged = client.custom_query_range("avg by (vm_name) (DCGM_FI_DEV_GPU_UTIL)", start, end, "60s")
try:
    client.custom_query("sum(")
    error = ""
except PrometheusApiClientException as failure:
    error = str(failure)

print(
    json.dumps(
        {
            "metric": "DCGM_FI_DEV_GPU_UTIL" in client.all_metrics(),
            "gpus": client.custom_query("count(DCGM_FI_DEV_GPU_UTIL)")[0]["value"][1],
            "series": len(ranged),
            "points": len(ranged[0]["values"]),
            "current": len(client.get_current_metric_value("DCGM_FI_DEV_GPU_UTIL", {"gpu": "0"})),
            "range": len(client.get_metric_range_data("DCGM_FI_DEV_GPU_UTIL", {"gpu": "0"}, start, end)),
            "label": "gpu" in client.get_label_names(),
            "values": client.get_label_values("gpu"),
            "parseError": "parse error" in error,
        }
    )
)
