#include "sources/processes/process_owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "net/foreign_text.h"

namespace warpsight::processes {
namespace {

using State = KnownProcess::State;

constexpr size_t kMaxLookups = 1024;
constexpr size_t kMaxName = 64;
constexpr size_t kUuidSize = 36;

std::string_view why_unknown(State state) {
  switch (state) {
    case State::missing:
      return "not in /proc: it has ended, is hidden by the mount option hidepid, or is in another "
             "PID namespace";
    case State::denied: return "/proc refuses to tell: permission denied";
    case State::failed: return "/proc cannot be understood";
    case State::unconfirmed:
      return "the agent is in a PID namespace of its own, where that number means another "
             "process: run the agent in the machine's (hostPID: true)";
    case State::read: break;
  }
  return {};
}

// "pod UID, container ID" of what is known.
std::string list_known(std::initializer_list<std::pair<std::string_view, std::string_view>> parts) {
  std::string text;
  for (const auto& [what, value] : parts) {
    if (value.empty()) continue;
    if (!text.empty()) text += ", ";
    text.append(what).append(" ").append(value);
  }
  return text;
}

class Describer {
 public:
  Describer(const UserNames& users, const ContainerNames* names) : users_(users), names_(names) {}

  void add(pid_t pid, const KnownProcess& process) {
    if (process.state != State::read) {
      tell(fmt::format("process {}", pid), std::string(why_unknown(process.state)));
      return;
    }
    const ProcessFacts& facts = process.facts;
    const std::string name = printable_beginning(facts.name, kMaxName);
    if (facts.mps_server) {
      tell(fmt::format("process {} ({})", pid, name),
           "serves the clients of MPS: what it uses is nobody's own");
      return;
    }
    Member member{.pid = pid, .attributes = {{"process.owner", users_.name(facts.uid)}}};
    std::string answer = attach(pid, name, facts, member);
    if (facts.cgroup.contradictory) answer += "; its cgroups contradict each other";
    if (!facts.cgroup.path_seen) answer += "; its cgroups tell nothing";
    if (facts.environment_denied) answer += "; its environment may not be read";
    tell(fmt::format("process {} ({})", pid, name), std::move(answer));
    result_.members.push_back(std::move(member));
  }

  Ownership finish() {
    for (auto& [key, owner] : owners_) result_.owners.push_back(std::move(owner));
    if (names_ != nullptr) {
      for (Lookup& lookup : names_->lookups()) tell(lookup.question, std::move(lookup.answer));
    }
    return std::move(result_);
  }

 private:
  // Says to whom it belongs, the most exact first. Returns the same for people.
  std::string attach(pid_t pid, const std::string& name, const ProcessFacts& facts,
                     Member& member) {
    const CgroupOwner& cgroup = facts.cgroup;
    if (!cgroup.container_id.empty()) {
      member.attributes.push_back({"container.id", cgroup.container_id});
    }
    if (!cgroup.slurm_job.empty()) {
      member.evidence = "slurm_cgroup";
      add_job(cgroup.slurm_job, cgroup.slurm_step, cgroup.slurm_uid.value_or(facts.uid), member);
      return list_known({{"Slurm job", cgroup.slurm_job},
                         {"step", cgroup.slurm_step},
                         {"container", cgroup.container_id}}) +
             ", from its cgroup";
    }
    if (cgroup.kubernetes) {
      member.evidence = "cgroup";
      add_pod(cgroup, member);
      return list_known({{"pod", cgroup.pod_uid}, {"container", cgroup.container_id}}) +
             ", from its cgroup";
    }
    if (!facts.slurm.job.empty()) {
      member.evidence = "slurm_env";
      add_job(facts.slurm.job, facts.slurm.step, facts.uid, member);
      // Where the job turns out not to be this user's.
      add_process(pid, name, facts, member);
      return list_known({{"Slurm job", facts.slurm.job},
                         {"step", facts.slurm.step},
                         {"Slurm's GPUs", facts.slurm.gpus}}) +
             ", from its environment";
    }
    if (!cgroup.container_id.empty()) {
      member.evidence = "cgroup";
      add_container(cgroup, member);
      return fmt::format("container {}, from its cgroup", cgroup.container_id);
    }
    member.evidence = "proc";
    add_process(pid, name, facts, member);
    return fmt::format("a process of {}, in no pod, job or container", users_.name(facts.uid));
  }

  Owner& owner(OwnerKind kind, std::string key, Member& member) {
    member.owners.push_back(key);
    Owner& owner = owners_[key];
    owner.kind = kind;
    owner.key = std::move(key);
    return owner;
  }

  void add_job(const std::string& job, const std::string& step, uint32_t uid, Member& member) {
    if (!step.empty()) member.attributes.push_back({"slurm.step.id", step});
    Owner& found = owner(OwnerKind::slurm_job, "slurm/" + job, member);
    // Slurm's own processes in the job are root's.
    const bool first = found.attributes.empty();
    if (!first && (uid == 0 || found.attributes.back().value != users_.name(0))) return;
    found.attributes = {{"slurm.job.id", job}, {"slurm.user", users_.name(uid)}};
  }

  void add_pod(const CgroupOwner& cgroup, Member& member) {
    const std::string pod = cgroup.pod_uid.empty() ? "" : "pod/" + cgroup.pod_uid;
    Owner& found =
        owner(OwnerKind::pod,
              cgroup.container_id.empty() ? pod : "container/" + cgroup.container_id, member);
    if (!pod.empty() && member.owners.back() != pod) member.owners.push_back(pod);
    found.attributes.clear();
    // A static pod's hash is not its uid.
    if (cgroup.pod_uid.size() == kUuidSize) {
      found.attributes.push_back({"k8s.pod.uid", cgroup.pod_uid});
    }
    if (!cgroup.container_id.empty()) {
      found.attributes.push_back({"container.id", cgroup.container_id});
    }
  }

  void add_container(const CgroupOwner& cgroup, Member& member) {
    // Under a key of its own: a user may give a group the id of somebody else's container.
    Owner& found = owner(
        OwnerKind::container,
        (cgroup.users_container ? "container/user/" : "container/") + cgroup.container_id, member);
    found.attributes = {{"container.id", cgroup.container_id}};
    if (!cgroup.runtime.empty()) {
      found.attributes.push_back({"container.runtime", cgroup.runtime});
    }
    const ContainerName* const name =
        names_ == nullptr || cgroup.users_container ? nullptr : names_->find(cgroup.container_id);
    if (name == nullptr) return;
    found.attributes.push_back({"container.name", name->name});
    if (!name->image.empty()) found.attributes.push_back({"container.image.name", name->image});
  }

  void add_process(pid_t pid, const std::string& name, const ProcessFacts& facts, Member& member) {
    Owner& found =
        owner(OwnerKind::process, fmt::format("process/{}/{}", pid, facts.start), member);
    found.attributes = {{"process.pid", std::to_string(pid)},
                        {"process.executable.name", name},
                        {"process.owner", users_.name(facts.uid)},
                        {".process.start", std::to_string(facts.start)}};
  }

  void tell(std::string question, std::string answer) {
    if (result_.lookups.size() >= kMaxLookups) return;
    result_.lookups.push_back({std::move(question), std::move(answer)});
  }

  const UserNames& users_;
  const ContainerNames* names_;
  Ownership result_;
  std::map<std::string, Owner> owners_;
};

}  // namespace

std::set<std::string> nameable_containers(const std::map<pid_t, KnownProcess>& processes) {
  std::set<std::string> ids;
  for (const auto& [pid, process] : processes) {
    const CgroupOwner& cgroup = process.facts.cgroup;
    if (process.state == State::read && !cgroup.kubernetes && cgroup.slurm_job.empty() &&
        !cgroup.users_container && is_container_id(cgroup.container_id)) {
      ids.insert(cgroup.container_id);
    }
  }
  return ids;
}

Ownership describe_owners(const std::map<pid_t, KnownProcess>& processes, const UserNames& users,
                          const ContainerNames* names) {
  Describer describer(users, names);
  for (const auto& [pid, process] : processes) describer.add(pid, process);
  return describer.finish();
}

}  // namespace warpsight::processes
