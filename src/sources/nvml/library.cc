#include "sources/nvml/library.h"

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <utility>

namespace warpsight::nvml {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFakeMarker = "warpsightFakeNvml";
constexpr const char* kScenarioVariable = "WARPSIGHT_SCENARIO";

Result<std::string> find_fake() {
  constexpr const char* kSoname = "libnvidia-ml.so.1";
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place :
       {"simulate", "../lib/warpsight/simulate", "../lib/x86_64-linux-gnu/warpsight/simulate",
        "../lib/aarch64-linux-gnu/warpsight/simulate", "../lib64/warpsight/simulate"}) {
    const fs::path candidate = folder / place / kSoname;
    if (fs::exists(candidate, error)) return candidate.string();
  }
  return fail("the simulated driver library was not found beside " + folder.string(),
              "reinstall warpsight, or set sources.nvml.library to its path");
}

Result<std::string> choose_library(const SourceContext& context) {
  if (context.simulate.empty() || context.options.given("library")) {
    return context.options.text("library");
  }
  return find_fake();
}

}  // namespace

Library::Library(DynamicLibrary library, CallTrace& trace)
    : library_(std::move(library)), simulated_(library_.symbol<const int>(kFakeMarker) != nullptr) {
#define WARPSIGHT_NVML(result, name, parameters) name.bind(library_, trace, #name);
#include "sources/nvml/functions.def"
}

Result<std::unique_ptr<Library>> Library::open(const SourceContext& context) {
  auto path = choose_library(context);
  if (!path) return tl::unexpected(path.error());
  if (!context.simulate.empty()) {
    // The fake reads it when it is initialised; no thread of the probe runs yet.
    ::setenv(kScenarioVariable, context.simulate.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }
  auto opened = DynamicLibrary::open(*path);
  if (!opened) return tl::unexpected(opened.error());
  std::unique_ptr<Library> library(new Library(std::move(*opened), context.trace));
  if (!library->nvmlInit_v2.exists() || !library->nvmlDeviceGetCount_v2.exists()) {
    return fail(*path + " is not an NVML library that Warpsight can use",
                "install the NVIDIA driver's own libnvidia-ml.so.1");
  }
  if (!context.simulate.empty() && !library->simulated()) {
    return fail(*path + " is a real driver library, but a simulation was asked for",
                "leave sources.nvml.library unset when simulating");
  }
  return library;
}

std::string_view Library::word(abi::Return result) const {
  if (result == abi::Return::function_not_found) return "not in this driver version";
  const char* text = nvmlErrorString.untraced(result);
  return text == nullptr ? "unknown error" : text;
}

}  // namespace warpsight::nvml
