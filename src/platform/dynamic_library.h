// A shared library loaded at run time: vendors' libraries are never linked.
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "core/result.h"

namespace warpsight {

class DynamicLibrary {
 public:
  DynamicLibrary() = default;

  // By path or by soname. All its symbols are bound now and stay out of everyone else's way.
  static Result<DynamicLibrary> open(const std::string& name);

  // nullptr when the library has no such symbol, as older drivers do not:
  //   auto* init = library.symbol<int(unsigned)>("nvmlInitWithFlags");
  template <typename T>
  T* symbol(const char* name) const {
    static_assert(std::is_function_v<T> || std::is_object_v<T>);
    return reinterpret_cast<T*>(find(name));
  }
  // The same, the absence being an error that names library and symbol.
  template <typename T>
  Result<T*> require(const char* name) const {
    if (T* found = symbol<T>(name)) return found;
    return missing(name);
  }

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& name() const { return name_; }
  // The file that was really loaded; empty when unknown.
  std::string resolved_path() const;

 private:
  struct Closer {
    void operator()(void* handle) const;
  };

  void* find(const char* symbol) const;
  tl::unexpected<Error> missing(const char* symbol) const;

  std::unique_ptr<void, Closer> handle_;
  std::string name_;
};

}  // namespace warpsight
