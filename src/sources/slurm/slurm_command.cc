#include "sources/slurm/slurm_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <utility>

#include "net/foreign_text.h"
#include "platform/child_environment.h"
#include "sources/sysfs/text.h"

namespace warpsight::slurm {
namespace {

constexpr size_t kOutputLimit = size_t{64} << 20;
constexpr size_t kQuoted = 200;
constexpr std::array<std::string_view, 7> kUsualFolders = {
    "/usr/bin",       "/usr/sbin",       "/usr/local/bin",      "/usr/local/sbin",
    "/opt/slurm/bin", "/opt/slurm/sbin", "/usr/local/slurm/bin"};

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

struct Remedy {
  std::string_view sign;  // in what the command says
  std::string_view hint;
};

constexpr std::array<Remedy, 9> kRemedies = {{
    {"unge", "see whether munged runs on this node and has the cluster's key"},
    {"Invalid node name", "set sources.slurm.node_name to the node's NodeName of slurm.conf"},
    {"denied", "let the agent's user see all jobs (PrivateData in slurm.conf, or an operator)"},
    {"nvalid user", "let the agent's user see all jobs (PrivateData in slurm.conf)"},
    {"configuration source", "set sources.slurm.config to the path of slurm.conf"},
    {"process configuration file", "set sources.slurm.config to the path of slurm.conf"},
    {"fetch_config", "set sources.slurm.config to the path of slurm.conf"},
    {"contact slurm controller", "see whether slurmctld answers: scontrol ping"},
    {"onnect", "see whether slurmctld answers: scontrol ping"},
}};

}  // namespace

SlurmCommand::SlurmCommand(std::string folder, std::string config, Duration timeout)
    : folder_(std::move(folder)), config_(std::move(config)), timeout_(timeout) {}

std::string SlurmCommand::find(std::string_view name) const {
  const std::string file(name);
  if (!folder_.empty()) {
    const std::filesystem::path folder(folder_);
    for (const auto& path : {folder / file, folder / "../sbin" / file}) {
      if (is_program(path.string())) return path.string();
    }
    return {};
  }
  if (auto found = find_program(file)) return std::move(*found);
  for (const std::string_view folder : kUsualFolders) {
    std::string path = fmt::format("{}/{}", folder, file);
    if (is_program(path)) return path;
  }
  return {};
}

Result<CommandOutput> SlurmCommand::run(std::vector<std::string> argv) const {
  const std::string path = find(argv.front());
  if (path.empty()) {
    return fail(fmt::format("{} is not installed", argv.front()),
                "install Slurm's client commands, or set sources.slurm.command_path");
  }
  const std::string line = shown(argv);
  argv.front() = path;
  std::vector<std::string> environment = {"SLURM_TIME_FORMAT=standard", "LC_ALL=C"};
  if (!config_.empty()) environment.push_back("SLURM_CONF=" + config_);
  auto said = run_command(std::move(argv), timeout_, kOutputLimit, std::move(environment));
  if (!said) {
    const std::string& hint = said.error().hint;
    return fail(fmt::format("{}: {}", line, said.error().message),
                hint.empty() ? "see whether slurmctld answers: scontrol ping" : hint);
  }
  return said;
}

Result<std::string> SlurmCommand::ask(const std::vector<std::string>& argv) const {
  auto said = run(argv);
  if (!said) return tl::unexpected(std::move(said.error()));
  if (!said->status.success()) return tl::unexpected(explain(argv, *said));
  return std::move(said->output);
}

Error SlurmCommand::explain(const std::vector<std::string>& argv, const CommandOutput& said) {
  std::string_view words = trim(said.errors);
  if (words.empty()) words = trim(said.output);
  const std::string quoted = printable_beginning(words, kQuoted);
  Error error{.message = fmt::format("{} {}{}{}", shown(argv), said.status.describe(),
                                     quoted.empty() ? "" : ": ", quoted),
              .hint = fmt::format("run it by hand as the agent's user: {}", shown(argv))};
  for (const Remedy& remedy : kRemedies) {
    if (words.find(remedy.sign) == std::string_view::npos) continue;
    error.hint = remedy.hint;
    break;
  }
  return error;
}

std::string shown(const std::vector<std::string>& argv) {
  return fmt::format("{}", fmt::join(argv, " "));
}

}  // namespace warpsight::slurm
