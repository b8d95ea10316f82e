#include "sources/kubernetes/pod_resources/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>
#include <utility>

namespace warpsight::kubernetes {
namespace {

using protozero::pbf_reader;

constexpr uint32_t bytes_of(protozero::pbf_tag_type field) {
  return tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}

constexpr uint32_t kListPods = bytes_of(1);
constexpr uint32_t kAllocatableDevices = bytes_of(1);
namespace pod_field {
constexpr uint32_t kName = bytes_of(1);
constexpr uint32_t kSpace = bytes_of(2);
constexpr uint32_t kContainers = bytes_of(3);
}  // namespace pod_field
namespace container_field {
constexpr uint32_t kName = bytes_of(1);
constexpr uint32_t kDevices = bytes_of(2);
constexpr uint32_t kDynamicResources = bytes_of(5);
}  // namespace container_field
namespace devices_field {
constexpr uint32_t kResource = bytes_of(1);
constexpr uint32_t kIds = bytes_of(2);
}  // namespace devices_field
constexpr uint32_t kClaimResources = bytes_of(4);  // of a DynamicResource
namespace claim_field {
constexpr uint32_t kCdiDevices = bytes_of(1);
constexpr uint32_t kDriver = bytes_of(2);
constexpr uint32_t kPool = bytes_of(3);
constexpr uint32_t kDevice = bytes_of(4);
}  // namespace claim_field
constexpr uint32_t kCdiName = bytes_of(1);

// Ids and names of devices are their plugin's affair.
std::string text_of(pbf_reader& message) {
  const protozero::data_view view = message.get_view();
  return {view.data(), view.size()};
}

// Names of pods, namespaces and containers have at most 253 characters, of a few dozen kinds.
std::string name_of(pbf_reader& message) {
  constexpr size_t kLongest = 253;
  std::string name = text_of(message);
  const bool printable = std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f; });
  if (name.size() > kLongest || !printable) throw std::runtime_error("a name that is none");
  return name;
}

class Decoder {
 public:
  std::vector<PodGrants> pods(pbf_reader message) {
    std::vector<PodGrants> all;
    while (message.next()) {
      if (message.tag_and_type() == kListPods) {
        count(pods_, kMostPods, "pods");
        all.push_back(pod(message.get_message()));
      } else {
        message.skip();
      }
    }
    return all;
  }

  std::vector<GrantedDevices> allocatable(pbf_reader message) {
    std::vector<GrantedDevices> all;
    while (message.next()) {
      if (message.tag_and_type() == kAllocatableDevices) {
        all.push_back(devices(message.get_message()));
      } else {
        message.skip();
      }
    }
    return all;
  }

 private:
  static void count(size_t& so_far, size_t most, std::string_view of_what) {
    if (++so_far > most) throw std::runtime_error(fmt::format("more than {} {}", most, of_what));
  }

  PodGrants pod(pbf_reader message) {
    PodGrants pod;
    while (message.next()) {
      switch (message.tag_and_type()) {
        case pod_field::kName: pod.name = name_of(message); break;
        case pod_field::kSpace: pod.space = name_of(message); break;
        case pod_field::kContainers:
          count(containers_, kMostContainers, "containers");
          pod.containers.push_back(container(message.get_message()));
          break;
        default: message.skip();
      }
    }
    if (pod.name.empty() || pod.space.empty()) throw std::runtime_error("a pod without a name");
    return pod;
  }

  ContainerGrants container(pbf_reader message) {
    ContainerGrants container;
    while (message.next()) {
      switch (message.tag_and_type()) {
        case container_field::kName: container.name = name_of(message); break;
        case container_field::kDevices:
          container.devices.push_back(devices(message.get_message()));
          break;
        case container_field::kDynamicResources:
          dynamic_resource(message.get_message(), container.claimed);
          break;
        default: message.skip();
      }
    }
    if (container.name.empty()) throw std::runtime_error("a container without a name");
    return container;
  }

  GrantedDevices devices(pbf_reader message) {
    count(devices_, kMostDevices, "devices");
    GrantedDevices devices;
    while (message.next()) {
      switch (message.tag_and_type()) {
        case devices_field::kResource: devices.resource = text_of(message); break;
        case devices_field::kIds:
          count(devices_, kMostDevices, "devices");
          devices.ids.push_back(text_of(message));
          break;
        default: message.skip();
      }
    }
    return devices;
  }

  void dynamic_resource(pbf_reader message, std::vector<ClaimedDevice>& out) {
    while (message.next()) {
      if (message.tag_and_type() == kClaimResources) {
        count(devices_, kMostDevices, "devices");
        out.push_back(claimed(message.get_message()));
      } else {
        message.skip();
      }
    }
  }

  ClaimedDevice claimed(pbf_reader message) {
    ClaimedDevice device;
    while (message.next()) {
      switch (message.tag_and_type()) {
        case claim_field::kCdiDevices:
          count(devices_, kMostDevices, "devices");
          device.cdi.push_back(cdi_name(message.get_message()));
          break;
        case claim_field::kDriver: device.driver = text_of(message); break;
        case claim_field::kPool: device.pool = text_of(message); break;
        case claim_field::kDevice: device.device = text_of(message); break;
        default: message.skip();
      }
    }
    return device;
  }

  static std::string cdi_name(pbf_reader message) {
    std::string name;
    while (message.next()) {
      if (message.tag_and_type() == kCdiName) {
        name = text_of(message);
      } else {
        message.skip();
      }
    }
    return name;
  }

  size_t pods_ = 0;
  size_t containers_ = 0;
  size_t devices_ = 0;
};

template <typename Fn>
auto decoded(std::string_view bytes, Fn&& decode)
    -> Result<decltype(decode(std::declval<Decoder&>(), pbf_reader()))> {
  try {
    Decoder decoder;
    return decode(decoder, pbf_reader(bytes.data(), bytes.size()));
  } catch (const std::exception& reason) {
    return fail(fmt::format("the kubelet's answer is not understood: {}", reason.what()),
                "is the socket of pod_resources that of a kubelet?");
  }
}

}  // namespace

Result<std::vector<PodGrants>> decode_pods(std::string_view bytes) {
  return decoded(bytes, [](Decoder& decoder, pbf_reader m) { return decoder.pods(m); });
}

Result<std::vector<GrantedDevices>> decode_allocatable(std::string_view bytes) {
  return decoded(bytes, [](Decoder& decoder, pbf_reader m) { return decoder.allocatable(m); });
}

}  // namespace warpsight::kubernetes
