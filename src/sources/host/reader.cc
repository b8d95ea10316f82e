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

tl::unexpected<ReadError> unreadable(const FileReader& file, const Error& error) {
  return tl::unexpected(ReadError{absence_of(file.error()), describe(error)});
}

tl::unexpected<ReadError> unreadable(std::string_view what, int error) {
  return tl::unexpected(ReadError{
      absence_of(error), describe(fail_errno("cannot read " + std::string(what), error).value())});
}

tl::unexpected<ReadError> malformed(const FileReader& file) {
  return tl::unexpected(ReadError{Absence::failed, file.path() + " is not in a known form"});
}

std::string process_file(const HostContext& context, std::string_view name) {
  const bool own = context.root.empty() || context.root == "/";
  return under_root(context.root, std::string(own ? "/proc/self/" : "/proc/1/").append(name));
}

}  // namespace warpsight::host
