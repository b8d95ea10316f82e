#include "sources/slurm/slurm_options.h"

#include "platform/file.h"

namespace warpsight::slurm {

SlurmCommand make_command(const SourceContext& context, const NodeSetup& setup) {
  const std::string config =
      context.options.given("config") ? under_root(context.root, setup.config) : std::string();
  return {context.options.text("command_path"), config, context.options.duration("timeout")};
}

Result<std::unique_ptr<JobQuery>> make_query(const Options& options, const SlurmCommand& command,
                                             const std::string& node) {
  std::string kind = options.text("query");
  if (kind == "auto") {
    const bool squeue_alone = command.find("scontrol").empty() && !command.find("squeue").empty();
    kind = !options.text("slurmrestd").empty() ? "slurmrestd"
           : squeue_alone                      ? "squeue"
                                               : "scontrol";
  }
  if (kind == "none") return nullptr;
  if (kind == "squeue") return make_squeue_query(command, node);
  if (kind == "scontrol") return make_scontrol_query(command, node);
  if (options.text("slurmrestd").empty()) {
    return fail("slurm: query is slurmrestd, but its address is not given",
                "set sources.slurm.slurmrestd");
  }
  return make_rest_query({.address = options.text("slurmrestd"),
                          .token = options.secret("slurmrestd_token"),
                          .timeout = options.duration("timeout")},
                         node);
}

}  // namespace warpsight::slurm
