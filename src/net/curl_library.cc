#include "net/curl_library.h"

#include <memory>
#include <mutex>
#include <type_traits>

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr const char* kSoname = "libcurl.so.4";

tl::unexpected<TransportFailure> unusable(const std::string& why) {
  return fail(Kind::setup, "cannot speak HTTP: " + why, "install libcurl4");
}

template <typename Function>
bool bind(const DynamicLibrary& library, const char* name, Function& function) {
  function = library.symbol<std::remove_pointer_t<Function>>(name);
  return function != nullptr;
}

bool bind_all(CurlLibrary& curl) {
  const DynamicLibrary& from = curl.library;
  return bind(from, "curl_global_init", curl.global_init) &&
         bind(from, "curl_easy_init", curl.easy_init) &&
         bind(from, "curl_easy_cleanup", curl.easy_cleanup) &&
         bind(from, "curl_easy_reset", curl.easy_reset) &&
         bind(from, "curl_easy_setopt", curl.easy_setopt) &&
         bind(from, "curl_easy_getinfo", curl.easy_getinfo) &&
         bind(from, "curl_easy_strerror", curl.easy_strerror) &&
         bind(from, "curl_multi_init", curl.multi_init) &&
         bind(from, "curl_multi_cleanup", curl.multi_cleanup) &&
         bind(from, "curl_multi_setopt", curl.multi_setopt) &&
         bind(from, "curl_multi_add_handle", curl.multi_add_handle) &&
         bind(from, "curl_multi_remove_handle", curl.multi_remove_handle) &&
         bind(from, "curl_multi_socket_action", curl.multi_socket_action) &&
         bind(from, "curl_multi_info_read", curl.multi_info_read) &&
         bind(from, "curl_slist_append", curl.slist_append) &&
         bind(from, "curl_slist_free_all", curl.slist_free_all) &&
         bind(from, "curl_url", curl.url) && bind(from, "curl_url_cleanup", curl.url_cleanup) &&
         bind(from, "curl_url_set", curl.url_set) && bind(from, "curl_url_get", curl.url_get) &&
         bind(from, "curl_free", curl.free);
}

TransportResult<std::unique_ptr<CurlLibrary>> load() {
  auto library = DynamicLibrary::open(kSoname);
  if (!library) return unusable(library.error().message);
  auto curl = std::make_unique<CurlLibrary>();
  curl->library = std::move(*library);
  if (!bind_all(*curl)) return unusable(std::string(kSoname) + " is too old");
  if (curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return unusable(std::string(kSoname) + " does not start");
  }
  return curl;
}

}  // namespace

TransportResult<const CurlLibrary*> CurlLibrary::get() {
  static std::mutex mutex;
  // Never destroyed: a client may outlive static objects.
  static CurlLibrary* loaded = nullptr;
  const std::lock_guard lock(mutex);
  if (loaded == nullptr) {
    auto library = load();
    if (!library) return tl::unexpected(library.error());
    loaded = library->release();
  }
  return loaded;
}

}  // namespace warpsight
