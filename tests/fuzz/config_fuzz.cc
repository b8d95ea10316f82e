// The config loader on any bytes: no crash, bounded errors, no secret in any message.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/agent_options.h"
#include "app/config.h"

namespace {

using namespace warpsight;

constexpr std::string_view kSecret = "s3cr3t-value";

constexpr std::array kOptions = {
    OptionDef{"enabled", OptionType::boolean, "true", "on or off"},
    OptionDef{"count", OptionType::integer, "1", "how many", "1..64"},
    OptionDef{"share", OptionType::number, "0.5", "how much", "0..1"},
    OptionDef{"rotate.size", OptionType::size, "64MiB", "when", "1MiB.."},
    OptionDef{"names", OptionType::list, "", "which", "a|b"},
    OptionDef{"labels", OptionType::map, "", "marks"},
    OptionDef{"token", OptionType::secret, "", "what authorises"},
};
constexpr std::array kSections = {SectionDef{"one", "a section", kOptions},
                                  SectionDef{"two", "another", kOptions}};

ConfigInputs inputs() {
  return {.variable = [](const std::string& name) -> std::optional<std::string> {
            if (name == "TOKEN") return std::string(kSecret);
            return std::nullopt;
          },
          .secret_file = [](const std::string&) -> Result<std::string> {
            return std::string(kSecret);
          }};
}

void check(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (to_string(diagnostic).find(kSecret) != std::string::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // A text that spells the secret out may of course see it quoted.
  if (text.find(kSecret.substr(0, 4)) != std::string_view::npos) return 0;
  const ConfigSchema schema{.agent = agent_options(), .sources = kSections, .sinks = kSections};
  const LoadedConfig loaded = parse_config(text, "fuzz.yaml", schema, inputs());
  if (loaded.errors.size() > kMaxConfigErrors) std::abort();
  check(loaded.errors);
  check(loaded.warnings);
  return 0;
}
