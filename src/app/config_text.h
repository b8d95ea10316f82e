// What a value in the config file stands for: ${VARIABLE} and file:/path.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace warpsight {

// Where values outside the file come from; tests and the fuzzer bring their own.
struct ConfigInputs {
  std::function<std::optional<std::string>(const std::string& name)> variable;
  std::function<Result<std::string>(const std::string& path)> secret_file;

  // The process's environment and real files.
  static ConfigInputs system();
};

// Replaces every ${NAME} and ${NAME:-default} (the default also where the variable is empty);
// "$${" stands for a literal "${". Errors name the variable, never its value.
Result<std::string> expand_variables(std::string_view text, const ConfigInputs& inputs);

// The secret in a file of its own, one newline at its end dropped. The file must be a regular one
// that others may neither read nor write.
Result<std::string> read_secret_file(const std::string& path);

}  // namespace warpsight
