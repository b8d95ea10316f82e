#include "platform/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

namespace warpsight {
namespace {

// glibc's dlerror() is per thread.
std::string last_error() {
  const char* text = ::dlerror();  // NOLINT(concurrency-mt-unsafe)
  return text != nullptr ? text : "unknown error";
}

}  // namespace

void DynamicLibrary::Closer::operator()(void* handle) const { ::dlclose(handle); }

Result<DynamicLibrary> DynamicLibrary::open(const std::string& name) {
  DynamicLibrary library;
  library.handle_.reset(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library.handle_) {
    return fail(fmt::format("cannot load {}: {}", name, last_error()),
                "install the vendor's driver package or give the library's path");
  }
  library.name_ = name;
  return library;
}

void* DynamicLibrary::find(const char* symbol) const {
  return handle_ ? ::dlsym(handle_.get(), symbol) : nullptr;
}

tl::unexpected<Error> DynamicLibrary::missing(const char* symbol) const {
  return fail(fmt::format("{} has no {}", name_, symbol), "a newer driver may have it");
}

std::string DynamicLibrary::resolved_path() const {
  link_map* map = nullptr;
  if (!handle_ || ::dlinfo(handle_.get(), RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0)
    return {};
  return map->l_name;
}

}  // namespace warpsight
