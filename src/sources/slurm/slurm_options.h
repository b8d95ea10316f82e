// The options of the source `slurm`, and whom they say to ask.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "runtime/source.h"
#include "sources/slurm/job_query.h"
#include "sources/slurm/node_setup.h"
#include "sources/slurm/rest_query.h"
#include "sources/slurm/slurm_command.h"

namespace warpsight::slurm {

inline constexpr std::array kSlurmOptions = {
    OptionDef{"enabled", OptionType::boolean, "true", "Tell which Slurm job holds which GPU"},
    OptionDef{"period", OptionType::duration, "1s", "How often jobs are looked for", "100ms..1h"},
    OptionDef{"node_name", OptionType::text, "",
              "The node's name in slurm.conf. Empty: `$SLURMD_NODENAME`, else the host's"},
    OptionDef{"config", OptionType::text, "",
              "Path of slurm.conf. Empty: `$SLURM_CONF`, else where it usually is"},
    OptionDef{"gres_config", OptionType::text, "", "Path of gres.conf. Empty: beside slurm.conf"},
    OptionDef{"command_path", OptionType::text, "",
              "Folder of `scontrol` and `squeue`. Empty: `$PATH` and the usual folders"},
    OptionDef{"query", OptionType::choice, "auto",
              "Whom to ask about a job. `auto`: slurmrestd where its address is given, else "
              "`scontrol`, else `squeue`; `none`: only the jobs' numbers are told",
              "auto|scontrol|squeue|slurmrestd|none"},
    OptionDef{"slurmrestd", OptionType::text, "",
              "Address of slurmrestd: `unix:/path/of.socket` or `http(s)://host:port`", "",
              check_rest_address},
    OptionDef{"slurmrestd_token", OptionType::secret, "", "Token for it (`scontrol token`)"},
    OptionDef{"timeout", OptionType::duration, "5s", "For one question, answer included",
              "100ms..1m"},
    OptionDef{"poll", OptionType::duration, "30s",
              "How often the configuration is read, and Slurm is asked for the node's jobs where "
              "it makes no cgroups for them",
              "1s..1h"},
};

SlurmCommand make_command(const SourceContext& context, const NodeSetup& setup);

// Null when nobody shall be asked.
Result<std::unique_ptr<JobQuery>> make_query(const Options& options, const SlurmCommand& command,
                                             const std::string& node);

}  // namespace warpsight::slurm
