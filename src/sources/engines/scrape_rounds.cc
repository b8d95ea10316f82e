#include "sources/engines/scrape_rounds.h"

#include <algorithm>
#include <utility>

#include "sources/engines/scrape_options.h"

namespace warpsight::engines {
namespace {

// What came in is handed on at least this often while a round lasts.
constexpr Duration kSlice = std::chrono::milliseconds{200};
// The most memory that one body leaves for the next.
constexpr size_t kSpareLimit = size_t{1} << 20;

// The rest of a period is for what a round leaves to do.
Duration round_of(Duration period) { return period * 4 / 5; }

}  // namespace

Result<ScrapeRounds> ScrapeRounds::make(const Clock& clock, const Options& options, Duration period,
                                        size_t body_limit) {
  auto settings = peer_settings(options);
  if (!settings) return tl::unexpected(settings.error());
  settings->timeout = std::min(settings->timeout, round_of(period));
  settings->response_limit = body_limit;
  return ScrapeRounds(clock, options, std::move(*settings), period);
}

ScrapeRounds::ScrapeRounds(const Clock& clock, Options options, HttpClientSettings settings,
                           Duration period)
    : clock_(&clock),
      settings_(std::move(settings)),
      headers_(std::move(options)),
      period_(period) {}

bool ScrapeRounds::begins() {
  if (in_round_ && unfinished()) return false;
  in_round_ = true;
  round_end_ = clock_->steady() + round_of(period_);
  return true;
}

Result<> ScrapeRounds::ask(uint64_t tag, const std::string& url, bool named) {
  if (!fetcher_) {
    auto made = HttpFetcher::make(settings_);
    if (!made) return fail(made.error().message, made.error().hint);
    fetcher_ = std::move(*made);
  }
  auto headers = named ? headers_.current() : HttpHeaders();
  if (!headers) return tl::unexpected(headers.error());
  headers->emplace_back("accept", kAcceptPages);
  if (spare_.capacity() > kSpareLimit) spare_ = {};
  fetcher_->begin(tag, url, *headers, std::exchange(spare_, {}), /*direct=*/!named);
  return {};
}

void ScrapeRounds::cancel(uint64_t tag) {
  if (fetcher_) fetcher_->cancel(tag);
}

SteadyTime ScrapeRounds::slice_end() const {
  return std::min(round_end_, clock_->steady() + kSlice);
}

bool ScrapeRounds::unfinished() const {
  return fetcher_ && fetcher_->under_way() > 0 && clock_->steady() < round_end_;
}

}  // namespace warpsight::engines
