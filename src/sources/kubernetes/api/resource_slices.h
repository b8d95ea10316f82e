// The devices that drivers of dynamic resource allocation offer on this node.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "core/ownership.h"
#include "sources/kubernetes/api/list_watch.h"

namespace warpsight::kubernetes {

// The name of a device by its attributes, as the drivers of NVIDIA, AMD and Intel write them;
// `attributes` of resource.k8s.io. nullopt where they do not tell which device it is, as for a MIG
// instance that is made only when it is claimed.
std::optional<DeviceName> read_device(std::string_view driver, std::string_view name,
                                      Json attributes);

class ResourceSlices final : public ObjectStore {
 public:
  static constexpr size_t kMostSlices = 256;
  static constexpr size_t kMostDevices = 256;  // of a slice; servers allow 128

  void list_begins() override { listed_.clear(); }
  void list_ends() override;
  void put(Json object) override;
  void remove(Json object) override;

  std::optional<DeviceName> device(std::string_view driver, std::string_view pool,
                                   std::string_view device) const;
  size_t size() const { return slices_.size(); }
  // Grows whenever device() may tell something else.
  uint64_t changes() const { return changes_; }

 private:
  struct Slice {
    std::string driver;
    std::string pool;
    int64_t generation = 0;  // of the pool: of two, the older slice is about to go
    std::map<std::string, DeviceName, std::less<>> devices = {};

    friend bool operator==(const Slice&, const Slice&) = default;
  };

  std::map<std::string, Slice, std::less<>> slices_;  // by name
  std::set<std::string, std::less<>> listed_;
  uint64_t changes_ = 0;
};

}  // namespace warpsight::kubernetes
