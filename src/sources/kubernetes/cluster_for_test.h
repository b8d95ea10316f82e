// For tests: a kubelet that answers as it is told to, and metadata as it is written here.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <vector>

#include "net/grpc_server_test.h"
#include "platform/test_dir.h"
#include "sources/kubernetes/metadata.h"
#include "sources/kubernetes/pod_resources/answers.h"

namespace warpsight::kubernetes::testing {

inline void write_devices(protozero::pbf_writer& parent, protozero::pbf_tag_type field,
                          const GrantedDevices& devices) {
  protozero::pbf_writer message(parent, field);
  message.add_string(1, devices.resource);
  for (const std::string& id : devices.ids) message.add_string(2, id);
  protozero::pbf_writer topology(message, 3);
  protozero::pbf_writer node(topology, 1);
  node.add_int64(1, 1);
}

inline void write_claim(protozero::pbf_writer& container, const ClaimedDevice& claimed) {
  protozero::pbf_writer resource(container, 5);
  resource.add_string(2, "claim");
  resource.add_string(3, "default");
  protozero::pbf_writer claim(resource, 4);
  for (const std::string& name : claimed.cdi) {
    protozero::pbf_writer cdi(claim, 1);
    cdi.add_string(1, name);
  }
  claim.add_string(2, claimed.driver);
  claim.add_string(3, claimed.pool);
  claim.add_string(4, claimed.device);
  claim.add_string(5, "share");
}

// As the kubelet writes it, with the fields that nobody here reads.
inline std::string encode_pods(const std::vector<PodGrants>& pods) {
  std::string bytes;
  protozero::pbf_writer list(bytes);
  for (const PodGrants& grants : pods) {
    protozero::pbf_writer pod(list, 1);
    pod.add_string(1, grants.name);
    pod.add_string(2, grants.space);
    for (const ContainerGrants& granted : grants.containers) {
      protozero::pbf_writer container(pod, 3);
      container.add_string(1, granted.name);
      for (const GrantedDevices& devices : granted.devices) write_devices(container, 2, devices);
      for (const ClaimedDevice& claimed : granted.claimed) write_claim(container, claimed);
      const std::vector<int64_t> cpus = {2, 3};
      container.add_packed_int64(3, cpus.begin(), cpus.end());
    }
  }
  return bytes;
}

inline std::string encode_allocatable(const std::vector<GrantedDevices>& all) {
  std::string bytes;
  protozero::pbf_writer answer(bytes);
  const std::vector<int64_t> cpus = {0, 1, 2, 3};
  answer.add_packed_int64(2, cpus.begin(), cpus.end());
  for (const GrantedDevices& devices : all) write_devices(answer, 1, devices);
  return bytes;
}

// A pod of one container.
inline PodGrants pod_with(std::string name, std::vector<std::string> ids,
                          std::string resource = "nvidia.com/gpu") {
  return {.space = "default",
          .name = std::move(name),
          .containers = {
              {.name = "main", .devices = {{std::move(resource), std::move(ids)}}, .claimed = {}}}};
}

inline std::string gpu(int number) {
  return fmt::format("GPU-fake0000-0000-0000-0000-{:012}", number);
}

class FakeKubelet {
 public:
  FakeKubelet() { start(); }

  std::string address() const { return "unix:" + path(); }
  std::string path() const { return dir_.path() + "/kubelet.sock"; }

  void list(const std::vector<PodGrants>& pods) { list_bytes(encode_pods(pods)); }
  void list_bytes(std::string bytes) { answer("List", test::grpc_answer("0"), std::move(bytes)); }
  void allocatable(const std::vector<GrantedDevices>& all) {
    answer("GetAllocatableResources", test::grpc_answer("0"), encode_allocatable(all));
  }
  void refuse(const std::string& method, const std::string& status, const std::string& message) {
    answer(method, test::grpc_answer(status, {{"grpc-message", message}}), {});
  }
  void hang() { answer("List", {.hang = true}, {}); }

  void stop() {
    server_.reset();
    // Not removed, so that the next socket is another file for sure.
    std::filesystem::rename(path(), path() + ".old");
  }
  void start() {
    server_ = std::make_unique<test::ScriptedServer>(
        path(), test::serve_grpc([this](const test::GrpcRequest& request) {
          const std::string whole = request.header(":path");
          const std::lock_guard lock(mutex_);
          ++asked_[whole];
          const auto answer = answers_.find(whole);
          return answer == answers_.end() ? test::grpc_answer("12") : answer->second;
        }));
  }

  int asked(const std::string& method) const {
    const std::lock_guard lock(mutex_);
    const auto count = asked_.find("/v1.PodResourcesLister/" + method);
    return count == asked_.end() ? 0 : count->second;
  }

 private:
  void answer(const std::string& method, test::GrpcAnswer answer, std::string message) {
    if (!message.empty()) answer.body = test::grpc_frame(message);
    const std::lock_guard lock(mutex_);
    answers_["/v1.PodResourcesLister/" + method] = std::move(answer);
  }

  TestDir dir_;
  mutable std::mutex mutex_;
  std::map<std::string, test::GrpcAnswer> answers_;
  std::map<std::string, int> asked_;
  std::unique_ptr<test::ScriptedServer> server_;
};

class FakeMetadata final : public Metadata {
 public:
  struct State {
    Pods pods = {};
    std::vector<Attribute> node = {{"k8s.node.name", "worker-3"}};
    std::map<std::string, DeviceName> devices = {};  // by driver/pool/device
    bool synced = true;
    std::string problem = {};
    bool changed = true;

    void put(const Pod& pod) {
      pods[{pod.space, pod.name}] = pod;
      changed = true;
    }
    void remove(const std::string& name) {
      pods.erase({"default", name});
      changed = true;
    }
  };

  explicit FakeMetadata(State& state) : state_(state) {}

  bool advance(Duration /*patience*/) override { return std::exchange(state_.changed, false); }
  bool synced() const override { return state_.synced; }
  const Pods& pods() const override { return state_.pods; }
  const std::vector<Attribute>& node() const override { return state_.node; }
  std::optional<DeviceName> device(std::string_view driver, std::string_view pool,
                                   std::string_view device) const override {
    const auto found = state_.devices.find(fmt::format("{}/{}/{}", driver, pool, device));
    return found == state_.devices.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<Lookup> lookups() const override { return {{"pods of this node", "fake"}}; }
  std::string problem() const override { return state_.problem; }

 private:
  State& state_;
};

// A pod of one container whose id is its uid's.
inline Pod known_pod(const std::string& name, const std::string& uid) {
  return {.uid = uid,
          .space = "default",
          .name = name,
          .containers = {{.name = "main", .id = "c-" + uid}}};
}

}  // namespace warpsight::kubernetes::testing
