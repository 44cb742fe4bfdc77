# The data source by Terraform. Nothing is expanded on the way, so a "$" in a secret needs no care.
#
#   terraform import grafana_data_source.gpucloud <uid>
#
# takes over a data source that is there already. Set the variable uid to its uid, too: another one makes a second data source.
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

variable "uid" {
  type        = string
  default     = "gpucloud"
  description = "uid of the data source, which the alert rules name"
}

variable "base_url" {
  type        = string
  description = "Base address of the platform, for example https://api.example.com"
}

variable "project_id" {
  type        = string
  description = "Project whose metrics are queried"
}

variable "monitoring_token" {
  type        = string
  sensitive   = true
  description = "Monitoring token, from the platform's command line"
}

# Fine-tuning and the main API are optional: set both variables of a service, or none.
variable "intelligence_url" {
  type        = string
  default     = ""
  description = "Address of the tuning gateway, without /v1 and without a slash at its end"
}

variable "inference_api_key" {
  type        = string
  sensitive   = true
  default     = ""
  description = "Inference API key, for fine-tuning"
}

variable "access_key_id" {
  type        = string
  default     = ""
  description = "Id of the access key, for capacities and lists"
}

variable "secret_key" {
  type        = string
  sensitive   = true
  default     = ""
  description = "Secret of the access key"
}

variable "organization_id" {
  type        = string
  default     = ""
  description = "Organization whose lists are read"
}

provider "grafana" {
  url  = var.grafana_url
  auth = var.grafana_auth
}

resource "grafana_data_source" "gpucloud" {
  name = "GPU Cloud"
  uid  = var.uid
  type = "gpucloud-platform-datasource"

  # No url: Grafana would forward requests to it that match no route of the plugin.
  json_data_encoded = jsonencode({
    baseUrl         = var.base_url
    projectId       = var.project_id
    intelligenceUrl = var.intelligence_url
    accessKeyId     = var.access_key_id
    organizationId  = var.organization_id
    httpMethod      = "GET"
    timeInterval    = "60s"
  })

  # These end up in Terraform's state, in plain text: keep the state where secrets may be kept. Grafana keeps those that are left out,
  # and an empty one would erase what it has.
  secure_json_data_encoded = jsonencode({
    for name, value in {
      monitoringToken = var.monitoring_token
      inferenceApiKey = var.inference_api_key
      secretKey       = var.secret_key
    } : name => value if value != ""
  })

  # Headers of every request, by name. The provider refuses them in the two arguments above.
  # http_headers = { "X-Example" = "value" }
}
