// The agent's one YAML file, checked against the tables of options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config_schema.h"
#include "app/config_text.h"
#include "runtime/options.h"

namespace warpsight {

struct Section {
  std::string name;  // "otlp", or "otlp/backup" for one of several
  Options options;
  bool repeatable = false;

  // The part of the name that the schema knows.
  std::string_view type() const { return std::string_view(name).substr(0, name.find('/')); }
  friend bool operator==(const Section&, const Section&) = default;
};

struct Config {
  Options agent;
  // One for every entry of the schema, in its order, named in the file or not; then the further
  // ones that the file names.
  std::vector<Section> sources;
  std::vector<Section> sinks;
  friend bool operator==(const Config&, const Config&) = default;
};

struct Diagnostic {
  std::string file;
  int line = 0;  // from 1; 0: the file as a whole
  int column = 0;
  std::string message;
  std::string hint = {};
};

// "warpsight.yaml:3:7: unknown key \"lisetn\"; did you mean \"listen\"?"
std::string to_string(const Diagnostic& diagnostic);

// Everything found in one pass. With errors, `config` holds what could be taken and is not to be
// run with. No secret appears in any text.
struct LoadedConfig {
  Config config;
  std::vector<Diagnostic> errors;  // at most kMaxConfigErrors, in the file's order
  std::vector<Diagnostic> warnings;
  bool ok() const { return errors.empty(); }
};

inline constexpr std::size_t kMaxConfigErrors = 20;

Config default_config(const ConfigSchema& schema);

// `file` names the text in diagnostics.
LoadedConfig parse_config(std::string_view text, const std::string& file,
                          const ConfigSchema& schema,
                          const ConfigInputs& inputs = ConfigInputs::system());

LoadedConfig load_config(const std::string& path, const ConfigSchema& schema,
                         const ConfigInputs& inputs = ConfigInputs::system());

}  // namespace warpsight
