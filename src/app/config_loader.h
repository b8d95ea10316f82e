// One pass over a parsed config file, filling in values and noting what is wrong.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/config.h"
#include "wire/yaml.h"

namespace warpsight {

class ConfigLoader {
 public:
  ConfigLoader(const std::string& file, const ConfigInputs& inputs, LoadedConfig& into)
      : file_(file), inputs_(inputs), into_(into) {}

  void load(const YamlNode& root);

 private:
  // Where in the file the walk is: `path` is for people ("sources.nvml."), `prefix` is the part
  // of it that belongs to the option's name ("log.").
  struct Scope {
    Options* options;
    std::string path;
    std::string prefix;
    std::map<std::string, std::string>* seen;  // full name, and the prefix it was given under
  };

  void load_sections(const YamlNode& node, std::string_view kind, std::vector<Section>& sections);
  // The section that a key names, made where the key is for a further one of its kind. Notes an
  // error and returns nullptr when there is none.
  Section* section_for(const YamlNode& key, std::string_view kind, std::vector<Section>& sections);
  void load_section(const YamlNode& node, std::string_view kind, Section& section);
  void load_entries(const YamlNode& map, const Scope& scope);
  void load_entry(const YamlNode& key, const YamlNode& value, const Scope& scope);
  void load_option(const OptionDef& def, const YamlNode& value, Options& options);

  void set_scalar(const OptionDef& def, const YamlNode& value, Options& options);
  void set_secret(const OptionDef& def, const YamlNode& value, Options& options);
  void set_list(const OptionDef& def, const YamlNode& value, Options& options);
  void set_map(const OptionDef& def, const YamlNode& value, Options& options);

  // Notes why a value was not taken; one that came out of a variable or a file is not quoted.
  void refused(const OptionDef& def, const YamlNode& value, bool expanded, const Result<>& set);
  // The value of a scalar with its variables filled in; notes an error otherwise.
  bool expand(const YamlNode& node, std::string& out);
  // The same of a secret, which may be in a file of its own.
  bool expand_secret(std::string_view name, const YamlNode& value, std::string& out);
  bool is_map_without_repeats(const YamlNode& node, std::string_view what);
  void unknown_key(const YamlNode& key, const Scope& scope);
  void error(YamlPlace place, std::string message, std::string hint = {});
  void error(YamlPlace place, const Error& error);

  const std::string& file_;
  const ConfigInputs& inputs_;
  LoadedConfig& into_;
};

}  // namespace warpsight
