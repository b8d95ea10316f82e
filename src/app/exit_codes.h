// How the program ends. --help documents these from the same table.
#pragma once

#include <array>
#include <string_view>

namespace warpsight {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitBadConfig = 3;

struct ExitCodeDoc {
  int code;
  std::string_view meaning;
};

inline constexpr std::array<ExitCodeDoc, 4> kExitCodes = {{
    {kExitOk, "success"},
    {kExitFailure, "it was tried and did not work"},
    {kExitUsage, "the command line is wrong"},
    {kExitBadConfig, "the configuration has errors"},
}};

}  // namespace warpsight
