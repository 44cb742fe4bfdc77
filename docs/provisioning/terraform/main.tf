# The data source by Terraform. Nothing is expanded on the way, so a "$" in a secret needs no care.
terraform {
  required_version = ">= 1.3"
  required_providers {
    grafana = {
      source  = "grafana/grafana"
      version = ">= 3.0"
    }
  }
}

variable "grafana_url" {
  type        = string
  description = "Address of Grafana, for example https://grafana.example.com"
}

variable "grafana_auth" {
  type        = string
  sensitive   = true
  description = "Token of a Grafana service account that may write data sources"
}

variable "monitoring_token" {
  type        = string
  sensitive   = true
  description = "Monitoring token, from the platform's command line"
}

variable "inference_api_key" {
  type        = string
  sensitive   = true
  default     = ""
  description = "Inference API key, for fine-tuning"
}

variable "secret_key" {
  type        = string
  sensitive   = true
  default     = ""
  description = "Secret of the access key, for capacities and lists"
}

provider "grafana" {
  url  = var.grafana_url
  auth = var.grafana_auth
}

resource "grafana_data_source" "gpucloud" {
  name = "GPU Cloud"
  uid  = "gpucloud"
  type = "gpucloud-platform-datasource"

  # No url: Grafana would forward requests to it that match no route of the plugin.
  json_data_encoded = jsonencode({
    baseUrl         = "https://api.example.com"
    projectId       = "my-project"
    intelligenceUrl = "https://inference.example.com"
    accessKeyId     = "my-access-key-id"
    organizationId  = "my-organization"
    httpMethod      = "GET"
    timeInterval    = "60s"
  })

  # These end up in Terraform's state, in plain text: keep the state where secrets may be kept.
  secure_json_data_encoded = jsonencode({
    monitoringToken = var.monitoring_token
    inferenceApiKey = var.inference_api_key
    secretKey       = var.secret_key
  })
}
