#include "app/scrape_page.h"

#include <fmt/format.h>
#include <unistd.h>

#include "net/http_client.h"
#include "platform/file.h"
#include "runtime/peer_options.h"
#include "sources/engines/endpoint.h"
#include "sources/engines/page_address.h"
#include "sources/engines/scrape_options.h"

namespace warpsight {
namespace {

using prometheus_text::TextFormat;

Error error_of(const std::string& where, const engines::ScrapeFailure& failure) {
  return {fmt::format("{}: {}", where, failure.message), failure.hint};
}

}  // namespace

bool is_file(const std::string& where) { return where == "-" || access(where.c_str(), F_OK) == 0; }

Result<ScrapedPage> fetch_page(const PageRequest& request, const Options& options) {
  const auto address = engines::parse_page_address(request.where);
  if (!address) return tl::unexpected(address.error());
  auto settings = peer_settings(options);
  if (!settings) return tl::unexpected(settings.error());
  settings->response_limit = options.size("limits.body");
  auto headers = request.with_credentials ? PeerHeaders(options).current() : HttpHeaders();
  if (!headers) return tl::unexpected(headers.error());
  headers->emplace_back("accept", engines::kAcceptPages);
  if (!request.with_credentials) settings->tls.certificate = settings->tls.key = "";
  auto client = HttpClient::make(*settings);
  if (!client) return fail(client.error().message, client.error().hint);

  const std::string url = address->url(request.usual_path);
  ScrapedPage page{.from = engines::shown_url(url), .address = address->address, .body = {}};
  const SystemClock clock;
  const SteadyTime began = clock.steady();
  auto reply = (*client)->get(url, *headers);
  page.took = clock.steady() - began;
  page.time = clock.now();
  const auto format = engines::judge(reply);
  if (!format) return tl::unexpected(error_of(page.from, format.error()));
  page.format = *format;
  page.body = std::move(reply->body);
  return page;
}

Result<ScrapedPage> read_page_file(const std::string& path, const Options& options) {
  auto body = read_file(path == "-" ? "/dev/stdin" : path, options.size("limits.body"));
  if (!body) return tl::unexpected(body.error());
  const std::string_view text = *body;
  const bool open = text.ends_with("# EOF\n") || text.ends_with("# EOF");
  return ScrapedPage{.from = path,
                     .address = {},
                     .body = std::move(*body),
                     .format = open ? TextFormat::open_metrics : TextFormat::classic};
}

}  // namespace warpsight
