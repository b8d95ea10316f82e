#include "sources/host/reader.h"

#include <cerrno>

namespace warpsight::host {
namespace {

Absence absence_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case EOPNOTSUPP: return Absence::unsupported;
    default: return Absence::failed;
  }
}

}  // namespace

std::string ReadError::describe() const {
  const std::string file(path);
  if (error == 0) return file + " is not in a known form";
  return warpsight::describe(fail_errno("cannot read " + file, error).value());
}

tl::unexpected<ReadError> unreadable(std::string_view path, int error) {
  return tl::unexpected(ReadError{absence_of(error), path, error});
}

tl::unexpected<ReadError> malformed(const FileReader& file) {
  return tl::unexpected(ReadError{Absence::failed, file.path(), 0});
}

std::string process_file(const HostContext& context, std::string_view name) {
  const bool own = context.root.empty() || context.root == "/";
  return under_root(context.root, std::string(own ? "/proc/self/" : "/proc/1/").append(name));
}

}  // namespace warpsight::host
