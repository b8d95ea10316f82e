#include "app/resource.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "core/version.h"
#include "platform/file.h"
#include "platform/sockets.h"

namespace warpsight {
namespace {

// Set by the downward API under either name.
struct Variable {
  const char* key;
  const char* name;
  const char* other_name;
};
constexpr Variable kVariables[] = {
    {"k8s.node.name", "K8S_NODE_NAME", "NODE_NAME"},
    {"k8s.pod.name", "K8S_POD_NAME", "POD_NAME"},
    {"k8s.namespace.name", "K8S_NAMESPACE", "POD_NAMESPACE"},
    {"k8s.pod.uid", "K8S_POD_UID", "POD_UID"},
};

// What a cloud's firmware says of the machine.
struct Firmware {
  const char* file;
  std::string_view says;
  std::string_view provider;
};
constexpr Firmware kFirmwares[] = {
    {"sys_vendor", "Amazon EC2", "aws"},
    {"product_name", "Google Compute Engine", "gcp"},
    {"sys_vendor", "Google", "gcp"},
    {"chassis_asset_tag", "OracleCloud.com", "oracle_cloud"},
};
// Its hypervisor says the same outside of its cloud, but for this tag.
constexpr Firmware kAzure = {"chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", "azure"};

void set(std::vector<Attribute>& to, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  const auto known = std::ranges::find(to, key, &Attribute::key);
  if (known == to.end()) {
    to.push_back({std::string(key), std::string(value)});
  } else {
    known->value = value;
  }
}

std::string line_of(const std::string& root, const std::string& path) {
  const auto text = read_file(under_root(root, path));
  if (!text) return {};
  std::string line = text->substr(0, text->find('\n'));
  line.erase(line.find_last_not_of(" \t\r") + 1);
  return line;
}

std::string host_name(const Config& config) {
  if (const std::string& given = config.agent.text("host_name"); !given.empty()) return given;
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

std::string_view architecture() {
  utsname name{};
  if (::uname(&name) != 0) return {};
  const std::string_view machine = name.machine;
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  if (machine == "ppc64le") return "ppc64";
  return {};
}

std::string_view cloud_provider(const std::string& root) {
  const auto firmware = [&](const Firmware& row) {
    return line_of(root, fmt::format("/sys/class/dmi/id/{}", row.file)) == row.says;
  };
  for (const Firmware& row : kFirmwares) {
    if (firmware(row)) return row.provider;
  }
  const bool hyper_v = line_of(root, "/sys/class/dmi/id/sys_vendor") == "Microsoft Corporation" &&
                       line_of(root, "/sys/class/dmi/id/product_name") == "Virtual Machine";
  const bool tagged = !line_of(root, "/sys/class/dmi/id/chassis_asset_tag").empty();
  return hyper_v && (!tagged || firmware(kAzure)) ? kAzure.provider : std::string_view{};
}

// The same over restarts and reinstallations, and another for each agent of a host.
std::string instance_id(const std::string& host, const Config& config) {
  const auto address = parse_address(config.agent.text("listen"));
  const bool port = address && address->kind == SocketAddress::Kind::tcp && address->port != 0;
  return port ? fmt::format("{}:{}", host, address->port) : host;
}

}  // namespace

Resource detect_resource(const Config& config, const ResourceInputs& inputs) {
  const std::string host = host_name(config);
  const std::string host_id = line_of(inputs.root, "/etc/machine-id");
  Resource resource;
  set(resource.full, "host.name", host);
  set(resource.full, "host.id", host_id);
  set(resource.full, "host.arch", architecture());
  set(resource.full, "os.type", "linux");
  set(resource.full, "service.name", "warpsight");
  set(resource.full, "service.version", kVersion);
  set(resource.full, "service.instance.id", instance_id(host_id.empty() ? host : host_id, config));
  for (const Variable& variable : kVariables) {
    const std::string value = inputs.environment(variable.name);
    set(resource.full, variable.key,
        value.empty() ? inputs.environment(variable.other_name) : value);
  }
  set(resource.full, "cloud.provider", cloud_provider(inputs.root));
  for (const Attribute& a : inputs.from_environment) set(resource.full, a.key, a.value);

  set(resource.brief, "host.name", host);
  for (const auto& [key, value] : config.agent.map("attributes")) {
    set(resource.full, key, value);
    set(resource.brief, key, value);
  }
  for (std::vector<Attribute>* list : {&resource.full, &resource.brief}) {
    std::erase_if(*list, [](const Attribute& a) { return a.key == "simulated"; });
    if (inputs.simulated) list->push_back({"simulated", "true"});
  }
  return resource;
}

std::string host_name(const Resource& resource) {
  const auto found = std::ranges::find(resource.brief, "host.name", &Attribute::key);
  return found == resource.brief.end() ? std::string{} : found->value;
}

}  // namespace warpsight
