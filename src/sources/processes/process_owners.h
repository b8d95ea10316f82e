// Turns what is known of processes into owners and their members.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/ownership.h"
#include "sources/processes/container_names.h"
#include "sources/processes/process_table.h"
#include "sources/processes/user_names.h"

namespace warpsight::processes {

// Containers outside Kubernetes and Slurm, and not of users' own naming, whose runtime may be asked
// for their names.
std::set<std::string> nameable_containers(const std::map<pid_t, KnownProcess>& processes);

// `names` null: nobody is asked.
Ownership describe_owners(const std::map<pid_t, KnownProcess>& processes, const UserNames& users,
                          const ContainerNames* names);

}  // namespace warpsight::processes
