// For tests: a node on which Slurm runs jobs, made of files and small commands.
#pragma once

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sources/slurm/recordings_test.h"
#include "sources/slurm/slurm_source.h"
#include "sources/sysfs/fake_root.h"

namespace warpsight::slurm {

// The commands answer from files and write down how they were called.
class Node {
 public:
  Node() : options_(Options::defaults(kSlurmSource.options)) {
    set("node_name", "vm");
    set("command_path", root_.path() + "/bin");
    root_.write("/etc/slurm/slurm.conf", "ClusterName=fake\nNodeName=vm Gres=gpu:h100:4\n");
    root_.write("/etc/slurm/gres.conf", "NodeName=vm Name=gpu Type=h100 File=/dev/nvidia[3,1,0,2]");
    set("config", "/etc/slurm/slurm.conf");
    command("scontrol", R"(for id; do :; done
if [ -e "$dir/down" ]; then echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; fi
if [ -e "$dir/job_$id" ]; then cat "$dir/job_$id"; exit 0; fi
echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1)");
    command("squeue",
            R"(if [ -e "$dir/down" ]; then echo "squeue: error: munge: no socket" >&2; exit 1; fi
if [ "$1" = --json ]; then cat "$dir/squeue.json"; else cat "$dir/squeue"; fi)");
  }

  void set(std::string_view name, std::string_view value) {
    ASSERT_TRUE(options_.set(name, value)) << name;
  }
  void command(std::string_view name, std::string_view script) {
    const std::string file = "/bin/" + std::string(name);
    root_.write(file, "#!/bin/sh\ndir=" + root_.path() + "/answers\necho \"" + std::string(name) +
                          " $*\" >> " + root_.path() + "/calls\n" + std::string(script) + "\n");
    ASSERT_EQ(::chmod(root_.at(file).c_str(), 0755), 0);
  }
  void cgroup(int job) const {
    root_.make_directory("/sys/fs/cgroup/freezer/slurm_vm/uid_1001/job_" + std::to_string(job));
  }
  void end_cgroup(int job) const {
    root_.remove("/sys/fs/cgroup/freezer/slurm_vm/uid_1001/job_" + std::to_string(job));
  }
  void answer(std::string_view file, std::string_view text) const {
    root_.write("/answers/" + std::string(file), text);
  }
  void job(int id, std::string_view gres, std::string_view state = "RUNNING",
           std::string_view head = "", std::string_view name = "train") const {
    answer("job_" + std::to_string(id),
           "JobId=" + std::to_string(id) + std::string(head) + " JobName=" + std::string(name) +
               " UserId=alice(1001) GroupId=x(1) Account=ml QOS=(null) JobState=" +
               std::string(state) +
               " Reason=None StartTime=2026-11-15T01:32:29 Partition=gpu NodeList=vm NumNodes=1 "
               "JOB_GRES=gpu:1   Nodes=vm CPU_IDs=0 Mem=0 GRES=" +
               std::string(gres) + " MinCPUsNode=1 Command=/x \n");
  }
  // Jobs of a recording, each as scontrol shows it.
  void recorded(std::string_view file, std::initializer_list<int> jobs) const {
    for (const int id : jobs) {
      answer("job_" + std::to_string(id), recorded_job(file, id));
      cgroup(id);
    }
  }

  Result<> run(Duration after = std::chrono::seconds{1}) {
    if (!source_) {
      auto made = kSlurmSource.make(context());
      if (!made) return tl::unexpected(made.error());
      source_ = std::move(*made);
    } else {
      clock_.advance(after);
    }
    batch_.clear();
    Result<> outcome;
    do {
      auto part = source_->collect(batch_);
      if (outcome) outcome = std::move(part);
      if (batch_.ownership) told_ = batch_.ownership;
    } while (source_->unfinished());
    return outcome;
  }

  bool said() const { return batch_.ownership != nullptr; }
  const Ownership& told() const { return *told_; }
  // "JOB:MINOR", with the MIG instance where there is one.
  std::vector<std::string> held() const {
    std::vector<std::string> all;
    for (const Holding& holding : told_->holdings) {
      EXPECT_EQ(holding.device.form, DeviceName::Form::minor);
      std::string text = holding.owner.substr(6) + ":" + holding.device.text;
      if (holding.device.gpu_instance >= 0) {
        text += "/" + std::to_string(holding.device.gpu_instance);
      }
      all.push_back(text);
    }
    return all;
  }
  std::string attributes(std::string_view key) const {
    std::string text;
    for (const Owner& owner : told_->owners) {
      if (owner.key != key) continue;
      for (const Attribute& a : owner.attributes) text += a.key + "=" + a.value + " ";
    }
    return text;
  }
  std::vector<std::string> calls() const {
    std::ifstream file(root_.at("/calls"));
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }
  SourceContext context() {
    return {.clock = clock_,
            .entities = entities_,
            .options = options_,
            .trace = trace_,
            .root = root_.path(),
            .state_dir = {},
            .simulate = {},
            .skip_devices = {},
            .only_devices = {}};
  }

  warpsight::testing::FakeRoot& root() { return root_; }
  Source& source() { return *source_; }
  Batch& batch() { return batch_; }

 private:
  warpsight::testing::FakeRoot root_;
  ManualClock clock_;
  EntityTable entities_;
  CallTrace trace_;
  Options options_;
  Batch batch_;
  std::unique_ptr<Source> source_;
  std::shared_ptr<const Ownership> told_;
};

}  // namespace warpsight::slurm
