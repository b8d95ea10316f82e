#include "sources/engines/dcgm_source.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "platform/file.h"
#include "sources/engines/discovery/listeners.h"
#include "sources/engines/endpoint.h"
#include "sources/engines/page_address.h"
#include "sources/engines/pages/gpu_subjects.h"
#include "sources/engines/scrape_options.h"
#include "sources/engines/scrape_rounds.h"

namespace warpsight::engines {
namespace {

constexpr uint16_t kUsualPort = 9400;
constexpr size_t kSocketListLimit = size_t{8} << 20;

constexpr std::array kOwnOptions = {
    OptionDef{"enabled", OptionType::boolean, "true",
              "Whether to read it; by default where something listens on its usual port, 9400."},
    OptionDef{"period", OptionType::duration, "10s",
              "Time between readings; the exporter itself refreshes every 30 s unless told "
              "otherwise.",
              "1s..10m"},
    OptionDef{"endpoint", OptionType::text, "http://127.0.0.1:9400/metrics",
              "Address of the exporter's page: `http(s)://HOST:PORT/PATH`, `HOST:PORT` or "
              "`unix:/SOCKET:/PATH`.",
              "", check_page_address},
};
constexpr auto kOptions = join_options(kOwnOptions, kPeerOptions, kPageOptions);

class DcgmSource final : public Source {
 public:
  DcgmSource(const SourceContext& context, EngineTables tables, std::string url,
             ScrapeRounds rounds)
      : clock_(context.clock),
        period_(context.options.duration("period")),
        tables_(std::move(tables)),
        url_(std::move(url)),
        rounds_(std::move(rounds)),
        subjects_(context.entities),
        reader_(tables_, subjects_, claims_, context.entities, page_settings(context.options)) {
    reader_.expect(tables_.find("dcgm"));
  }

  Result<> collect(Batch& out) override {
    if (rounds_.begins() && !asking_) {
      if (auto asked = rounds_.ask(0, url_, true); !asked) return asked;
      asking_ = true;
    }
    rounds_.step([&](const Fetched& fetched) {
      asking_ = false;
      out.begin(clock_.now(), period_);
      outcome_ = take(fetched, out);
    });
    return outcome_;
  }

  bool unfinished() const override { return rounds_.unfinished(); }

  void retire(Batch& out) override { reader_.end(out); }

 private:
  static PageSettings page_settings(const Options& options) {
    return {.own = false,
            .common = true,
            .raw = false,
            .allow = {},
            .deny = {},
            .merge_ranks = false,
            .series_limit = static_cast<size_t>(options.integer("limits.series"))};
  }

  Result<> take(const Fetched& fetched, Batch& out) {
    const auto format = judge(fetched.reply);
    if (!format) {
      return fail(fmt::format("{}: {}", shown_url(url_), format.error().message),
                  format.error().hint);
    }
    if (subjects_.outdated()) {
      reader_.end(out);
      subjects_.forget();
    }
    const PageOutcome page = reader_.read(fetched.reply->body, *format, out);
    if (page.engines.empty()) {
      return fail(fmt::format("{} is not a page of DCGM exporter", shown_url(url_)),
                  "set sources.dcgm.endpoint");
    }
    return {};
  }

  const Clock& clock_;
  Duration period_;
  EngineTables tables_;
  std::string url_;
  ScrapeRounds rounds_;
  GpuSubjects subjects_;
  Claims claims_;
  PageReader reader_;
  bool asking_ = false;
  Result<> outcome_;
};

Result<std::unique_ptr<Source>> make(const SourceContext& context) {
  auto tables = EngineTables::load();
  if (!tables) return tl::unexpected(tables.error());
  const auto address = parse_page_address(context.options.text("endpoint"));
  if (!address) return tl::unexpected(address.error());
  auto rounds =
      ScrapeRounds::make(context.clock, context.options, context.options.duration("period"),
                         context.options.size("limits.body"));
  if (!rounds) return tl::unexpected(rounds.error());
  return std::make_unique<DcgmSource>(context, std::move(*tables), address->url("/metrics"),
                                      std::move(*rounds));
}

bool listens(const std::string& root, uint16_t port) {
  for (const std::string_view file : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    const auto lines = read_file(under_root(root, file), kSocketListLimit);
    if (!lines) continue;
    bool found = false;
    for_each_token(*lines, '\n', [&](std::string_view line) {
      const auto socket = parse_listening(line);
      found = found || (socket && socket->port == port);
    });
    if (found) return true;
  }
  return false;
}

bool present(const SourceContext& context) {
  return context.options.given("endpoint") || listens(context.root, kUsualPort);
}

std::vector<Finding> diagnose(const SourceContext& context) {
  if (!present(context)) {
    return {{Finding::State::ok, "no DCGM exporter listens on port 9400", {}}};
  }
  return {{Finding::State::ok,
           fmt::format("DCGM exporter at {}", shown_url(context.options.text("endpoint"))),
           {}}};
}

}  // namespace

constinit const SourceDef kDcgmSource = {
    .name = "dcgm",
    .summary = "DCGM exporter's page, for what the driver's own source does not tell",
    .isolation = Isolation::thread,
    .vendor = {},
    .options = kOptions,
    .make = make,
    .diagnose = diagnose,
    .present = present,
};

}  // namespace warpsight::engines
