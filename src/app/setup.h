// From the command line and the config file to a Config, the same way for every verb.
#pragma once

#include <optional>
#include <string>

#include "app/cli.h"
#include "app/config.h"
#include "app/config_schema.h"

namespace warpsight {

inline constexpr const char* kDefaultConfigPath = "/etc/warpsight/warpsight.yaml";

// Every key of the agent, of all sources and of all sinks.
const ConfigSchema& config_schema();

// Flags that several verbs share.
inline constexpr Flag kConfigFlag{"config", 'c', "FILE",
                                  "config file (default: /etc/warpsight/warpsight.yaml if there)"};
inline constexpr Flag kSimulateFlag{
    "simulate", 's', "NAME|FILE",
    "play a scenario instead of reading GPUs; everything is labelled simulated"};

// The file named by --config, else the default one where it exists, else defaults alone; where it
// is silent on OTLP, what the OTEL_ variables say.
LoadedConfig load_config_for(const Arguments& arguments);

// The same; errors and warnings are printed for a person, and nothing is returned on an error.
std::optional<Config> load_config_or_complain(const Arguments& arguments);

// The scenario --simulate names, checked; empty when the flag was not given. Complains like the
// above and returns nothing when it is no scenario.
std::optional<std::string> scenario_or_complain(const Arguments& arguments);

// Sets up logging as the config and the flags say.
void configure_log_from(const Config& config);

// Nothing where it is not set.
std::optional<std::string> environment_variable(const char* name);

// Path of this program's own binary.
std::string own_executable();

Section& section_of(std::vector<Section>& sections, std::string_view name);
const Section& section_of(const std::vector<Section>& sections, std::string_view name);

}  // namespace warpsight
