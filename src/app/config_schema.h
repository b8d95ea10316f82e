// Which keys a config file may have, and what is generated from that.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/options.h"

namespace warpsight {

// A source or a sink with its keys.
struct SectionDef {
  std::string_view name;
  std::string_view summary;  // one line, Markdown
  std::span<const OptionDef> options;
  // There may be several: `otlp` and `otlp/backup`.
  bool repeatable = false;
};

// A dot in a key's name is a level in the file: "log.level" is `log: {level: ...}`.
struct ConfigSchema {
  std::span<const OptionDef> agent;
  std::span<const SectionDef> sources;
  std::span<const SectionDef> sinks;
};

// docs/configuration.md: how the file works, and every key with type, default and meaning.
std::string reference(const ConfigSchema& schema);

// A config file of all defaults, commented out; with the first '#' of each line removed it loads
// and changes nothing.
std::string example(const ConfigSchema& schema);

}  // namespace warpsight
