#include "sources/engines/endpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include "net/foreign_text.h"
#include "sources/engines/page_address.h"
#include "wire/json_lookup.h"

namespace warpsight::engines {
namespace {

using prometheus_text::TextFormat;

constexpr size_t kShown = 80;
constexpr size_t kLookedAt = 200;
constexpr size_t kLongestVersion = 64;

std::string hint_for(int status) {
  if (status == 401 || status == 403) return "set auth.bearer, auth.bearer_file or auth.username";
  if (status == 404) return "check the path; some engines serve a page only when told to";
  if (status == 501) return "llama.cpp serves its page only with --metrics";
  return {};
}

tl::unexpected<ScrapeFailure> refuse(std::string type, std::string message, std::string hint = {}) {
  return tl::unexpected(ScrapeFailure{std::move(type), std::move(message), std::move(hint)});
}

// An answer of something else than what was asked for.
bool is_html_or_json(std::string_view body) {
  const size_t first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  const std::string_view text = body.substr(first, kLookedAt);
  // A line of metrics may begin with a brace too, but has no colon behind its quoted name.
  return text[0] == '<' || text[0] == '[' ||
         (text[0] == '{' && text.find("\":") != std::string_view::npos);
}

// Empty when all of the page was taken.
std::string what_is_missing(const PageOutcome& outcome, size_t series_limit) {
  const auto& summary = outcome.summary;
  std::vector<std::string> parts;
  if (summary.bad_lines > 0) {
    const auto& first = summary.first_bad.front();
    parts.push_back(fmt::format("{} lines cannot be read, the first is line {}: {}",
                                summary.bad_lines, first.number,
                                prometheus_text::describe(first.problem)));
  }
  if (summary.dropped > 0) {
    parts.push_back(fmt::format("{} samples are over the limit of {} series (limits.series)",
                                summary.dropped, series_limit));
  }
  if (outcome.torn > 0) {
    parts.push_back(fmt::format("{} histograms contradict themselves", outcome.torn));
  }
  if (outcome.not_merged > 0) {
    parts.push_back(
        fmt::format("{} histograms cannot be added up: their bounds differ", outcome.not_merged));
  }
  if (outcome.not_declared > 0) {
    parts.push_back(
        fmt::format("{} series have a name that stands for another kind of metric, or "
                    "there are too many names",
                    outcome.not_declared));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

tl::expected<TextFormat, ScrapeFailure> judge(const TransportResult<HttpReply>& reply) {
  if (!reply) {
    const TransportFailure& failure = reply.error();
    return refuse(std::string(to_string(failure.kind)), failure.message, failure.hint);
  }
  if (reply->status >= 300 && reply->status < 400) {
    return refuse("redirect",
                  fmt::format("it redirects to {}",
                              printable_beginning(shown_url(reply->header("location")), kShown)),
                  "give that address instead: redirects are not followed");
  }
  if (reply->status != 200) {
    return refuse(std::to_string(reply->status), fmt::format("it answers HTTP {}", reply->status),
                  hint_for(reply->status));
  }
  if (is_html_or_json(reply->body)) {
    return refuse("not_metrics",
                  fmt::format("what it answers is no page of metrics: {}",
                              printable_beginning(reply->body, kShown)),
                  "check the path");
  }
  const bool open = reply->header("content-type").find("openmetrics") != std::string_view::npos;
  return open ? TextFormat::open_metrics : TextFormat::classic;
}

Endpoint::Endpoint(EndpointSettings settings, const EngineTables& tables, Claims& claims,
                   EntityTable& entities)
    : settings_(std::move(settings)),
      entities_(entities),
      subjects_(entities, settings_.address),
      reader_(tables, subjects_, claims, entities, settings_.page),
      engine_(settings_.engine) {
  subjects_.set_operation(settings_.operation);
  if (engine_ != nullptr) subjects_.set_version(engine_->name, settings_.version);
  reader_.expect(engine_);
}

void Endpoint::take(const Fetched& fetched, Batch& out) {
  const auto format = judge(fetched.reply);
  if (!format) return tell_down(format.error(), out);
  const PageOutcome outcome = reader_.read(fetched.reply->body, *format, out);
  const bool cut = *format == TextFormat::open_metrics && !outcome.summary.eof;
  if (outcome.summary.samples == 0 || cut) {
    return tell_down({cut ? "cut_short" : "empty",
                      cut ? "its page ends before # EOF" : "its page has no samples", ""},
                     out);
  }
  if (engine_ == nullptr && !outcome.engines.empty()) engine_ = outcome.engines.front();
  warn_once(outcome, out);
  tell_up(out);
  out.add(Metric::llm_scrape_duration, up_, to_seconds(fetched.took));
  out.add(Metric::llm_scrape_samples, up_, static_cast<double>(outcome.summary.samples));
}

std::optional<std::string> Endpoint::version_url() {
  const bool can = was_up_ && !asked_version_ && engine_ != nullptr && settings_.lasting;
  if (!can || engine_->version_path.empty()) return std::nullopt;
  asked_version_ = true;
  return settings_.origin + engine_->version_path;
}

void Endpoint::take_version(std::string_view body, Batch& out) {
  constexpr std::array<std::string_view, 1> kWay = {"version"};
  const auto version = json_string(body, kWay);
  if (!version || version->size() > kLongestVersion) return;
  for (const EntityId ended : subjects_.set_version(engine_->name, *version)) {
    out.gone.push_back(ended);
  }
}

void Endpoint::end(Batch& out) {
  reader_.end(out);
  for (const EntityId engine : subjects_.end()) out.gone.push_back(engine);
  if (up_) out.gone.push_back(up_);
  up_ = {};
}

EntityId Endpoint::up_entity(std::string_view error) {
  const std::string_view engine = engine_ != nullptr ? std::string_view(engine_->name) : "unknown";
  const AttributeView attributes[] = {
      {"llm.engine", engine},
      {"server.address", settings_.address},
      {kEndpointMark, settings_.lasting ? kNamedEndpoint : kFoundEndpoint},
      {"error.type", error}};
  const size_t count = error.empty() ? 3 : 4;
  return entities_.intern(EntityKind::engine, kNoEntity, std::span(attributes, count));
}

// llm.up of another reason is another series: the one before it ends.
void Endpoint::tell(double up, std::string_view error, Batch& out) {
  const EntityId entity = up_entity(error);
  if (up_ && !(up_ == entity)) out.gone.push_back(up_);
  up_ = entity;
  out.add(Metric::llm_up, up_, up);
}

void Endpoint::tell_up(Batch& out) {
  tell(1, "", out);
  if (told_ && !was_up_) {
    out.events.push_back({out.now(),
                          "llm.endpoint.up",
                          Severity::info,
                          up_,
                          fmt::format("{} can be scraped again", shown_url(settings_.url)),
                          {}});
  }
  trouble_.clear();
  told_ = was_up_ = true;
}

void Endpoint::tell_down(const ScrapeFailure& why, Batch& out) {
  tell(0, why.type, out);
  const bool news = !told_ || was_up_ || trouble_type_ != why.type;
  trouble_ = why.hint.empty() ? why.message : fmt::format("{}; {}", why.message, why.hint);
  trouble_type_ = why.type;
  if (news) {
    out.events.push_back(
        {out.now(),
         "llm.endpoint.down",
         Severity::warning,
         up_,
         fmt::format("{} cannot be scraped: {}", shown_url(settings_.url), trouble_),
         {{"error.type", why.type}}});
  }
  told_ = true;
  was_up_ = false;
  asked_version_ = false;
}

void Endpoint::warn_once(const PageOutcome& outcome, Batch& out) {
  const std::string what = what_is_missing(outcome, settings_.page.series_limit);
  if (!what.empty() && !complained_) {
    out.events.push_back({out.now(),
                          "llm.page.incomplete",
                          Severity::warning,
                          up_,
                          fmt::format("{}: {}", shown_url(settings_.url), what),
                          {}});
  }
  complained_ = !what.empty();
}

}  // namespace warpsight::engines
