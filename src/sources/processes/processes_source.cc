#include "sources/processes/processes_source.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "sources/processes/container_names.h"
#include "sources/processes/proc_view.h"
#include "sources/processes/process_owners.h"
#include "sources/processes/process_table.h"
#include "sources/processes/user_names.h"

namespace warpsight {
namespace {

using processes::ContainerNames;
using processes::ProcessTable;
using processes::ProcView;
using processes::UserNames;

Result<> check_socket(std::string_view path) {
  if (path.starts_with('/')) return {};
  return fail(fmt::format("'{}' is no path of a socket", path), "write it as /run/docker.sock");
}

constexpr std::array kOptions = {
    OptionDef{
        "enabled", OptionType::boolean, "true",
        "Find out to whom the processes on GPUs belong; by default not in a simulation, whose "
        "processes are not this machine's"},
    OptionDef{"period", OptionType::duration, "1s",
              "How often; `/proc` is read for processes that are new, of others only whether they "
              "are there",
              "100ms..1m"},
    OptionDef{"runtime_names", OptionType::boolean, "true",
              "Ask Docker or Podman for names and images of containers outside Kubernetes"},
    OptionDef{"runtime_sockets", OptionType::list, "/run/docker.sock,/run/podman/podman.sock",
              "Their sockets, below the root; those that are not there are left out", "",
              check_socket},
};

class ProcessesSource final : public Source {
 public:
  ProcessesSource(const SourceContext& context, const ProcView& view)
      : clock_(context.clock),
        period_(context.options.duration("period")),
        table_(context.clock, context.entities,
               // A simulation lists processes by the numbers that the agent sees.
               {context.root, view.host_pids || !context.simulate.empty()}),
        users_(context.root) {
    if (!context.options.flag("runtime_names")) return;
    names_.emplace(context.clock, context.root, context.options.list("runtime_sockets"));
  }

  Result<> collect(Batch& out) override {
    out.begin(clock_.now(), period_);
    bool changed = table_.update();
    if (changed) containers_ = processes::nameable_containers(table_.processes());
    if (names_) changed = names_->follow(containers_) || changed;
    if (!changed) return {};
    users_.refresh();
    Ownership now =
        processes::describe_owners(table_.processes(), users_, names_ ? &*names_ : nullptr);
    if (now.says_as(*said_) && now.lookups == said_->lookups) return {};
    said_ = std::make_shared<const Ownership>(std::move(now));
    out.ownership = said_;
    return {};
  }

  void retire(Batch& out) override { out.ownership = std::make_shared<const Ownership>(); }

 private:
  const Clock& clock_;
  Duration period_;
  ProcessTable table_;
  UserNames users_;
  std::optional<ContainerNames> names_;  // none: nobody is asked
  std::set<std::string> containers_;
  std::shared_ptr<const Ownership> said_ = std::make_shared<const Ownership>();
};

Result<std::unique_ptr<Source>> make(const SourceContext& context) {
  return std::make_unique<ProcessesSource>(context, processes::look_at_proc(context.root));
}

bool present(const SourceContext& context) { return context.simulate.empty(); }

std::vector<Finding> diagnose(const SourceContext& context) {
  using State = Finding::State;
  const ProcView view = processes::look_at_proc(context.root);
  std::vector<Finding> findings;
  if (view.host_pids) {
    findings.push_back({State::ok, "processes of the whole machine are visible", {}});
  } else {
    findings.push_back(
        {State::degraded,
         "the agent is in a PID namespace of its own: the owners of processes on GPUs are not "
         "known",
         "run it with hostPID: true (Kubernetes) or --pid=host (Docker)"});
  }
  if (!view.hidepid.empty() && !view.ptrace) {
    findings.push_back(
        {State::degraded,
         fmt::format("/proc hides processes of other users (hidepid={})", view.hidepid),
         "give the agent CAP_SYS_PTRACE, or the group named by the mount option gid"});
  }
  if (!view.ptrace) {
    findings.push_back({State::degraded,
                        "environments of other users' processes may not be read: Slurm jobs are "
                        "known by their cgroups only",
                        "give the agent CAP_SYS_PTRACE if Slurm does not use cgroups here"});
  }
  return findings;
}

}  // namespace

constinit const SourceDef kProcessesSource = {
    .name = "processes",
    .summary = "to whom processes on GPUs belong: pods, Slurm jobs, containers, users",
    .isolation = Isolation::thread,
    .vendor = {},
    .options = kOptions,
    .make = make,
    .diagnose = diagnose,
    .present = present,
    .follows_devices = true,
};

}  // namespace warpsight
