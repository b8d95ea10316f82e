#include "sources/slurm/diagnose.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "platform/file.h"
#include "sources/slurm/gpu_order.h"
#include "sources/slurm/slurm_options.h"

namespace warpsight::slurm {
namespace {

constexpr std::array<const char*, 4> kDaemonFiles = {
    "/run/slurmd.pid", "/run/slurm/slurmd.pid", "/var/run/slurmd.pid", "/var/run/slurm/slurmd.pid"};

Finding describe_jobs(const SourceContext& context, const NodeSetup& setup) {
  if (const auto runs = list_job_cgroups(context.root, setup.node)) {
    return {Finding::State::ok, fmt::format("{} jobs in cgroups", runs->size()), {}};
  }
  const auto others = nodes_with_cgroups(context.root);
  if (!others.empty()) {
    return {Finding::State::degraded,
            fmt::format("the jobs' cgroups are of node {}, not of {}", fmt::join(others, ", "),
                        setup.node),
            "set sources.slurm.node_name"};
  }
  return {Finding::State::degraded, "Slurm makes no cgroups for jobs here",
          "jobs are noticed every sources.slurm.poll; ProctrackType=proctrack/cgroup would tell "
          "sooner"};
}

Finding describe_query(JobQuery* query) {
  if (query == nullptr) {
    return {Finding::State::degraded, "nobody is asked about jobs", "set sources.slurm.query"};
  }
  if (const auto runs = query->list(); !runs) {
    return {Finding::State::missing, runs.error().message, runs.error().hint};
  }
  return {Finding::State::ok, fmt::format("{} answers", query->evidence()), {}};
}

}  // namespace

bool is_node(const SourceContext& context) {
  if (!context.simulate.empty()) return false;
  const NodeSetup setup = find_node_setup(context.options, context.root);
  if (setup.conf.known || list_job_cgroups(context.root, setup.node)) return true;
  return std::ranges::any_of(kDaemonFiles, [&](const char* path) {
    std::error_code ignored;
    return std::filesystem::exists(under_root(context.root, path), ignored);
  });
}

std::vector<Finding> diagnose(const SourceContext& context) {
  const NodeSetup setup = find_node_setup(context.options, context.root);
  const SlurmCommand command = make_command(context, setup);
  std::vector<Finding> findings;
  findings.push_back({Finding::State::ok,
                      fmt::format("node {}, {}", setup.node,
                                  setup.config.empty() ? "without a slurm.conf" : setup.config),
                      {}});
  findings.push_back(describe_jobs(context, setup));
  GpuOrder order(context.root, command);
  order.refresh(setup, context.clock.steady());
  findings.push_back({order.problem().empty() ? Finding::State::ok : Finding::State::degraded,
                      order.lookup().question + ": " + order.lookup().answer,
                      {}});
  const auto query = make_query(context.options, command, setup.node);
  findings.push_back(
      query ? describe_query(query->get())
            : Finding{Finding::State::missing, query.error().message, query.error().hint});
  return findings;
}

}  // namespace warpsight::slurm
