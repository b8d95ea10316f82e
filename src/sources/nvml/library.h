// NVML as loaded at run time: every function by its versioned name, every call named in the trace.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/result.h"
#include "platform/dynamic_library.h"
#include "runtime/call_trace.h"
#include "runtime/source.h"
#include "sources/nvml/abi.h"

namespace warpsight::nvml {

template <typename Signature>
class Function;

// One function of the library. One that this driver lacks answers function_not_found.
template <typename R, typename... P>
class Function<R(P...)> {
 public:
  R operator()(P... arguments) const {
    if (function_ == nullptr) return absent();
    trace_->enter(name_);
    R result = function_(arguments...);
    trace_->leave();
    return result;
  }
  // For the thread that waits for events: the trace is the lane's.
  R untraced(P... arguments) const {
    return function_ == nullptr ? absent() : function_(arguments...);
  }

  bool exists() const { return function_ != nullptr; }
  void bind(const DynamicLibrary& library, CallTrace& trace, const char* name) {
    function_ = library.symbol<R(P...)>(name);
    trace_ = &trace;
    name_ = name;
  }

 private:
  static R absent() {
    if constexpr (std::is_same_v<R, abi::Return>) return abi::Return::function_not_found;
    return R{};
  }

  R (*function_)(P...) = nullptr;
  CallTrace* trace_ = nullptr;
  const char* name_ = "";
};

namespace abi {

struct Functions {
#define WARPSIGHT_NVML(result, name, parameters) Function<result parameters> name;
#include "sources/nvml/functions.def"
};

}  // namespace abi

class Library : public abi::Functions {
 public:
  // Loads what the option `library` names or, when a scenario is to be played, the fake beside the
  // executable. Initialises nothing.
  static Result<std::unique_ptr<Library>> open(const SourceContext& context);

  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Whether this is Warpsight's own fake; all it says must be labelled so.
  bool simulated() const { return simulated_; }
  // The driver's word for a result.
  std::string_view word(abi::Return result) const;

 private:
  Library(DynamicLibrary library, CallTrace& trace);

  DynamicLibrary library_;
  bool simulated_ = false;
};

}  // namespace warpsight::nvml
