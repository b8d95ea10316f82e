#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

#include "app/exit_codes.h"
#include "app/scrape_page.h"
#include "app/scrape_reading.h"
#include "app/scrape_report.h"
#include "app/setup.h"
#include "app/verbs.h"
#include "core/quantity.h"
#include "sinks/json_lines.h"
#include "sources/engines/page_address.h"
#include "sources/engines/tables/table.h"
#include "wire/json.h"
#include "wire/prometheus_text/labels.h"
#include "wire/prometheus_text/reader.h"
#include "wire/prometheus_text/strict.h"

namespace warpsight {
namespace {

using prometheus_text::for_each_label;
using prometheus_text::unescape;

constexpr Flag kFlags[] = {
    kConfigFlag,
    {"section", '\0', "NAME",
     "take credentials, TLS and limits from this source of the config "
     "(default: scrape)"},
    {"engine", 'e', "NAME", "read it as this engine's page instead of finding out"},
    {"table", 't', "FILE", "a table of an engine of your own; may be given again"},
    {"interval", 'i', "TIME",
     "between two files (default: 30s); with an address, scrape twice, "
     "this far apart"},
    {"json", 'j', {}, "every normalised point, one JSON object a line"},
    {"raw", 'r', {}, "with --json: every parsed sample instead"},
    {"strict", '\0', {}, "hold the page to its specification: exit 1 at the first violation"},
};

constexpr Example kExamples[] = {
    {"warpsight scrape localhost:8000", "what engine this is and how it fares"},
    {"warpsight scrape localhost:8000 --interval 10s", "rates and quantiles of ten seconds"},
    {"warpsight scrape before.txt after.txt --interval 30s", "of two saved pages"},
    {"curl -s host:8000/metrics | warpsight scrape - --strict", "check a page"},
};

constexpr Duration kShortestInterval = std::chrono::milliseconds{100};
constexpr Duration kLongestInterval = std::chrono::hours{1};

int complain(const Error& error) {
  fmt::print(stderr, "error: {}\n", describe(error));
  return kExitFailure;
}

class RawLines {
 public:
  void sample(const prometheus_text::SampleView& view) {
    JsonWriter json(out_);
    json.begin_object().field("name", view.quoted_name ? unescape(view.name, scratch_) : view.name);
    json.key("labels").begin_object();
    for_each_label(view.labels, [&](const prometheus_text::LabelView& label) {
      json.key(unescape(label.name, scratch_));
      json.value(unescape(label.value, scratch_));
    });
    json.end_object();
    // JSON has no NaN and no infinity: they are told as the page writes them.
    if (std::isfinite(view.reading.value)) {
      json.field("value", view.reading.value);
    } else {
      json.field("value", view.reading.value_text);
    }
    if (!view.reading.timestamp_text.empty()) {
      json.field("timestamp_ms", view.reading.timestamp_ms);
    }
    if (!view.reading.exemplar.empty()) json.field("exemplar", view.reading.exemplar);
    json.end_object();
    out_ += '\n';
    if (out_.size() > kFlushAt) flush();
  }
  void flush() {
    std::fwrite(out_.data(), 1, out_.size(), stdout);
    out_.clear();
  }

 private:
  static constexpr size_t kFlushAt = size_t{64} * 1024;
  std::string out_;
  std::string scratch_;
};

void complain_of_lines(const ScrapedPage& page, const prometheus_text::Summary& summary) {
  const size_t noted = std::min<size_t>(summary.bad_lines, prometheus_text::Summary::kNoted);
  for (size_t i = 0; i < noted; ++i) {
    fmt::print(stderr, "{}:{}: left out: {}\n", page.from, summary.first_bad[i].number,
               describe(summary.first_bad[i].problem));
  }
  if (summary.bad_lines > noted) {
    fmt::print(stderr, "{}: and {} more lines\n", page.from, summary.bad_lines - noted);
  }
}

int print_raw(const ScrapedPage& page) {
  RawLines lines;
  const auto summary = prometheus_text::read_page(page.body, page.format, lines);
  lines.flush();
  complain_of_lines(page, summary);
  return kExitOk;
}

bool keeps_to_the_rules(const ScrapedPage& page) {
  const auto violation = find_violation(page.body, page.format);
  if (!violation) return true;
  fmt::print(stderr, "{}:{}: {}\n", page.from, violation->line, violation->reason);
  return false;
}

// Credentials go to whom the section names, or to whoever is asked with that section by name.
bool may_have_credentials(const Arguments& arguments, const std::string& where,
                          const Options& options) {
  if (arguments.has("section")) return true;
  const auto asked = engines::parse_page_address(where);
  return asked && std::ranges::any_of(options.list("endpoints"), [&](const std::string& named) {
           const auto address = engines::parse_page_address(named);
           return address && address->origin == asked->origin;
         });
}

// Some engines' /metrics is not for us.
Result<std::string> usual_path(const Arguments& arguments, const Options& options) {
  if (!arguments.has("engine")) return "/metrics";
  auto files = arguments.values("table");
  for (const std::string& file : options.list("tables")) files.push_back(file);
  const auto tables = engines::EngineTables::load(files);
  if (!tables) return tl::unexpected(tables.error());
  const auto engine = tables->get(arguments.value("engine"));
  if (!engine) return tl::unexpected(engine.error());
  return (*engine)->paths.empty() ? "/metrics" : (*engine)->paths.front();
}

Result<std::vector<ScrapedPage>> get_pages(const Arguments& arguments, const Options& options,
                                           Duration interval) {
  const auto path = usual_path(arguments, options);
  if (!path) return tl::unexpected(path.error());
  const auto fetch = [&](const std::string& where) {
    return fetch_page({.where = where,
                       .usual_path = *path,
                       .with_credentials = may_have_credentials(arguments, where, options)},
                      options);
  };
  std::vector<ScrapedPage> pages;
  for (const std::string& where : arguments.positional()) {
    auto page = is_file(where) ? read_page_file(where, options) : fetch(where);
    if (!page) return tl::unexpected(page.error());
    pages.push_back(std::move(*page));
  }
  const bool again = pages.size() == 1 && !pages[0].address.empty() && arguments.has("interval");
  if (again) {
    if (isatty(STDERR_FILENO) != 0) {
      fmt::print(stderr, "scraped once; again in {}...\n", format_duration(interval));
    }
    std::this_thread::sleep_for(interval);
    auto page = fetch(arguments.positional()[0]);
    if (!page) return tl::unexpected(page.error());
    pages.push_back(std::move(*page));
  }
  return pages;
}

int run_scrape(const Arguments& arguments) {
  const auto config = load_config_or_complain(arguments);
  if (!config) return kExitBadConfig;
  const std::string section_name = arguments.value("section", "scrape");
  const auto section = std::ranges::find(config->sources, section_name, &Section::name);
  if (section == config->sources.end() || section->type() != "scrape") {
    fmt::print(stderr, "error: the config has no source \"{}\"; known are scrape and scrape/NAME\n",
               section_name);
    return kExitUsage;
  }
  const auto interval = parse_duration(arguments.value("interval", "30s"));
  if (!interval || *interval < kShortestInterval || *interval > kLongestInterval) {
    fmt::print(stderr, "error: --interval is a time such as 30s, from 100ms to 1h\n");
    return kExitUsage;
  }
  const auto pages = get_pages(arguments, section->options, *interval);
  if (!pages) return complain(pages.error());
  if (arguments.has("strict") &&
      !std::ranges::all_of(*pages, [](const ScrapedPage& p) { return keeps_to_the_rules(p); })) {
    return kExitFailure;
  }
  if (arguments.has("json") && arguments.has("raw")) return print_raw(pages->back());

  ScrapeReadingSettings settings{.engine = arguments.value("engine"),
                                 .tables = arguments.values("table"),
                                 .page = {},
                                 .interval = *interval};
  settings.page.raw = arguments.has("raw");
  settings.page.series_limit = static_cast<size_t>(section->options.integer("limits.series"));
  for (const std::string& file : section->options.list("tables")) settings.tables.push_back(file);
  const auto reading = ScrapeReading::make(std::move(settings), *pages);
  if (!reading) return complain(reading.error());
  if (arguments.has("json")) {
    std::string out;
    JsonLines lines((*reading)->entities(), {}, false);
    (*reading)->registry().read([&](const Snapshot& snapshot) { lines.append(snapshot, out); });
    std::fwrite(out.data(), 1, out.size(), stdout);
  } else {
    fmt::print("{}", describe_reading(**reading));
  }
  complain_of_lines(pages->back(), (*reading)->outcome().summary);
  return kExitOk;
}

}  // namespace

constinit const Verb kScrapeVerb{
    .name = "scrape",
    .summary = "Read a serving engine's page once and say what it tells",
    .description =
        "Finds out which engine a page is of and which release its names betray, and shows the "
        "key figures and what is missing. With two pages of the same engine, rates and quantiles "
        "are of the time between them; with one, they are since the engine started.\n\n"
        "A page is an address (http://host:8000/metrics, host:8000, unix:/run/e.sock:/metrics), a "
        "file, or - for standard input. A line that cannot be read is reported and left out.",
    .flags = kFlags,
    .positional = {.usage = "PAGE [LATER_PAGE]",
                   .min = 1,
                   .max = 2,
                   .help = "address or file; with a second one, what happened in between"},
    .examples = kExamples,
    .run = run_scrape,
};

}  // namespace warpsight
