// A page for `warpsight scrape`: from a URL, or from a file.
#pragma once

#include <string>

#include "core/clock.h"
#include "core/result.h"
#include "runtime/options.h"
#include "wire/prometheus_text/sample.h"

namespace warpsight {

struct ScrapedPage {
  std::string from;     // the URL or the file
  std::string address;  // server.address; empty for a file
  std::string body;
  prometheus_text::TextFormat format = prometheus_text::TextFormat::classic;
  Duration took{};  // zero for a file
  Time time{};      // when it was whole; zero for a file
};

// Whether `where` names a file rather than an address.
bool is_file(const std::string& where);

struct PageRequest {
  std::string where;
  std::string usual_path = "/metrics";  // where `where` has none
  bool with_credentials = false;
};

// `options` are of a section of the source `scrape`: credentials, TLS, limits.
Result<ScrapedPage> fetch_page(const PageRequest& request, const Options& options);
Result<ScrapedPage> read_page_file(const std::string& path, const Options& options);

}  // namespace warpsight
