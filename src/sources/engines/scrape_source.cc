#include "sources/engines/scrape_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/log.h"
#include "sources/engines/discovery/discovery.h"
#include "sources/engines/endpoint.h"
#include "sources/engines/engine_gpus.h"
#include "sources/engines/page_address.h"
#include "sources/engines/scrape_options.h"
#include "sources/engines/scrape_rounds.h"

namespace warpsight::engines {
namespace {

constexpr std::array kOwnOptions = {
    OptionDef{"enabled", OptionType::boolean, "true", "Whether to scrape serving engines."},
    OptionDef{"period", OptionType::duration, "10s", "Time between scrapes of a page.", "1s..10m"},
    OptionDef{"endpoints", OptionType::list, "",
              "Pages to scrape: `http(s)://HOST:PORT/PATH`, `HOST:PORT` or `unix:/SOCKET:/PATH`. "
              "All have the credentials given here; for others, add a source `scrape/NAME`.",
              "", check_page_address},
    OptionDef{"engine", OptionType::text, "",
              "Name of the engine behind these endpoints. Empty: found out from the page."},
    OptionDef{"discover", OptionType::boolean, "true",
              "Whether to look for engines on this node: processes by their command line, GPU "
              "processes that listen, the engines' usual ports. Only `scrape` itself does so "
              "unless told; a `scrape/NAME` does not."},
    OptionDef{"discover_period", OptionType::duration, "30s", "Time between such looks.", "5s..1h"},
    OptionDef{"names", OptionType::list, "own,common",
              "What a page is told as: `own` are the engine's names (`vllm.ttft`), `common` those "
              "that all engines share (`llm.ttft`), `raw` is everything scraped, as it is.",
              "own|common|raw"},
    OptionDef{"raw.allow", OptionType::list, "",
              "With `raw`, only names like these; `*` stands for anything. Empty: all."},
    OptionDef{"raw.deny", OptionType::list, "", "With `raw`, no names like these."},
    OptionDef{"merge_ranks", OptionType::boolean, "false",
              "Whether the common names are over all engines, ranks and replicas of a model on a "
              "page: counters and histograms added up, shares averaged."},
    OptionDef{"operation", OptionType::text, "chat",
              "`gen_ai.operation.name` of what these engines do, where `namespaces` has `gen_ai`."},
    OptionDef{"tables", OptionType::list, "",
              "YAML files with tables of engines of your own; see docs/engines.md."},
};
constexpr auto kOptions = join_options(kOwnOptions, kPeerOptions, kPageOptions);

// Tags of requests to candidates, and of those for a release, have these bits.
constexpr uint64_t kQuestion = uint64_t{1} << 63;
constexpr uint64_t kVersion = uint64_t{1} << 62;

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

PageSettings page_settings(const Options& options) {
  const auto& names = options.list("names");
  return {.own = contains(names, "own"),
          .common = contains(names, "common"),
          .raw = contains(names, "raw"),
          .allow = options.list("raw.allow"),
          .deny = options.list("raw.deny"),
          .merge_ranks = options.flag("merge_ranks"),
          .series_limit = static_cast<size_t>(options.integer("limits.series"))};
}

std::string url_of(const FoundEndpoint& found) { return "http://" + found.address + found.path; }

bool discovers(const SourceContext& context) {
  const bool named = context.name.find('/') != std::string::npos;
  return context.options.flag("discover") && (!named || context.options.given("discover"));
}

class ScrapeSource final : public Source {
 public:
  ScrapeSource(const SourceContext& context, EngineTables tables, ScrapeRounds rounds)
      : clock_(context.clock),
        entities_(context.entities),
        options_(context.options),
        period_(options_.duration("period")),
        tables_(std::move(tables)),
        rounds_(std::move(rounds)) {
    if (discovers(context)) {
      discovery_ =
          std::make_unique<Discovery>(tables_.all(), ListenerSettings{context.root, std::nullopt});
      gpus_.emplace(entities_, context.root);
    }
  }

  Result<> add_configured() {
    const EngineTable* engine = nullptr;
    if (const std::string& name = options_.text("engine"); !name.empty()) {
      const auto named = tables_.get(name);
      if (!named) return tl::unexpected(named.error());
      engine = *named;
    }
    for (const std::string& text : options_.list("endpoints")) {
      const auto address = parse_page_address(text);
      if (!address) return tl::unexpected(address.error());
      const std::string path =
          engine != nullptr && !engine->paths.empty() ? engine->paths.front() : "/metrics";
      add({.origin = address->origin,
           .url = address->url(path),
           .address = address->address,
           .page = page_settings(options_),
           .operation = options_.text("operation"),
           .engine = engine,
           .version = {},
           .lasting = true});
    }
    return {};
  }

  Result<> collect(Batch& out) override {
    Result<> outcome;
    if (rounds_.begins()) {
      discover(out);
      outcome = ask_all(out);
      tell_gpus(out);
    }
    rounds_.step([&](const Fetched& fetched) { take(fetched, out); });
    return outcome;
  }

  bool unfinished() const override { return rounds_.unfinished(); }

  void retire(Batch& out) override {
    for (auto& [tag, slot] : slots_) slot.endpoint->end(out);
  }

 private:
  struct Slot {
    std::unique_ptr<Endpoint> endpoint;
    bool asking = false;
  };

  void add(EndpointSettings settings) {
    slots_.emplace(++last_tag_, Slot{std::make_unique<Endpoint>(std::move(settings), tables_,
                                                                claims_, entities_)});
  }

  // What cannot even be asked is down, for that reason.
  Result<> ask(uint64_t tag, Slot& slot, Batch& out) {
    if (slot.asking) return {};
    auto asked = rounds_.ask(tag, slot.endpoint->url(), slot.endpoint->lasting());
    slot.asking = asked.has_value();
    if (!asked) {
      out.begin(clock_.now(), period_);
      slot.endpoint->take({.tag = tag,
                           .reply = warpsight::fail(TransportFailure::Kind::setup,
                                                    asked.error().message, asked.error().hint),
                           .took = {}},
                          out);
    }
    return asked;
  }

  Result<> ask_all(Batch& out) {
    Result<> outcome;
    for (auto& [tag, slot] : slots_) {
      if (auto asked = ask(tag, slot, out); !asked) outcome = std::move(asked);
    }
    return outcome;
  }

  void take(const Fetched& fetched, Batch& out) {
    if ((fetched.tag & kQuestion) != 0) return take_answer(fetched, out);
    if ((fetched.tag & kVersion) != 0) return take_version(fetched, out);
    const auto slot = slots_.find(fetched.tag);
    if (slot == slots_.end()) return;
    slot->second.asking = false;
    out.begin(clock_.now(), period_);
    Endpoint& endpoint = *slot->second.endpoint;
    endpoint.take(fetched, out);
    if (const auto url = endpoint.version_url()) {
      (void)rounds_.ask(kVersion | fetched.tag, *url, endpoint.lasting());
    }
  }

  void take_version(const Fetched& fetched, Batch& out) {
    const auto slot = slots_.find(fetched.tag & ~kVersion);
    if (slot == slots_.end() || !fetched.reply || fetched.reply->status != 200) return;
    slot->second.endpoint->take_version(fetched.reply->body, out);
  }

  void take_answer(const Fetched& fetched, Batch& out) {
    const auto asked = questions_.extract(fetched.tag);
    if (asked.empty()) return;
    const Question& question = asked.mapped();
    const HttpReply none;
    const HttpReply& reply = fetched.reply ? *fetched.reply : none;
    const std::string_view beginning =
        std::string_view(reply.body).substr(0, Identification::kBodyLimit);
    discovery_->answer(question.candidate, question.path, reply.status, beginning,
                       reply.header("content-type"), clock_.steady());
    // Neither the candidate's next question nor the first scrape waits for the next round.
    ask_candidates();
    adopt_found(out);
  }

  void discover(Batch& out) {
    if (!discovery_) return;
    const SteadyTime now = clock_.steady();
    if (now >= next_look_) {
      next_look_ = now + options_.duration("discover_period");
      discovery_->update(now, gpu_pids());
    }
    end_lost(out);
    adopt_found(out);
    ask_candidates();
  }

  // The process behind an address, a named one too, is known by having been looked for.
  void tell_gpus(Batch& out) {
    if (!gpus_) return;
    gpus_->look();
    out.begin(clock_.now(), period_);
    for (const FoundEndpoint& found : discovery_->found()) {
      for (const auto& [tag, slot] : slots_) {
        const Endpoint& endpoint = *slot.endpoint;
        if (found.pid == 0 || !endpoint.up()) continue;
        if (local_.same(endpoint.address(), found.address)) {
          gpus_->tell(endpoint.up(), found.pid, out);
        }
      }
    }
  }

  void ask_candidates() {
    for (Question& question : discovery_->requests()) {
      const uint64_t tag = kQuestion | ++last_tag_;
      if (!rounds_.ask(tag, "http://" + question.address + question.path, false)) return;
      questions_.emplace(tag, std::move(question));
    }
  }

  // Ends what was found once and is not there any more, or is named by now.
  void end_lost(Batch& out) {
    const std::vector<FoundEndpoint> found = discovery_->found();
    std::erase_if(slots_, [&](auto& item) {
      Endpoint& endpoint = *item.second.endpoint;
      const bool there = std::ranges::any_of(found, [&](const FoundEndpoint& f) {
        return url_of(f) == endpoint.url() && f.version == endpoint.version();
      });
      if (endpoint.lasting() || (there && !named(endpoint.address()))) return false;
      out.begin(clock_.now(), period_);
      endpoint.end(out);
      rounds_.cancel(item.first);
      log_info("an engine is gone", {{"address", endpoint.address()}});
      return true;
    });
  }

  // Scrapes what was found and is not scraped yet, here or by another source.
  void adopt_found(Batch& out) {
    for (const FoundEndpoint& endpoint : discovery_->found()) {
      const EngineTable* engine = tables_.find(endpoint.engine);
      if (engine == nullptr || engine->subject != Subject::model) continue;
      if (scraped(endpoint.address)) continue;
      log_info(
          "found an engine",
          {{"engine", engine->name}, {"address", endpoint.address}, {"version", endpoint.version}});
      add({.origin = {},
           .url = url_of(endpoint),
           .address = endpoint.address,
           .page = page_settings(options_),
           .operation = options_.text("operation"),
           .engine = engine,
           .version = endpoint.version,
           .lasting = false});
      (void)ask(last_tag_, slots_.at(last_tag_), out);
    }
  }

  // Whether a config names it, ours or that of another section.
  bool named(std::string_view address) const {
    bool known = false;
    entities_.for_each(EntityKind::engine, [&](EntityId, const Entity& engine) {
      const auto value_of = [&](std::string_view key) -> std::string_view {
        const auto found = std::ranges::find(engine.attributes, key, &Attribute::key);
        return found == engine.attributes.end() ? std::string_view() : found->value;
      };
      known = known || (value_of(kEndpointMark) == kNamedEndpoint &&
                        local_.same(value_of("server.address"), address));
    });
    return known;
  }

  bool scraped(std::string_view address) const {
    return named(address) || std::ranges::any_of(slots_, [&](const auto& item) {
             return local_.same(item.second.endpoint->address(), address);
           });
  }

  std::vector<int> gpu_pids() const {
    std::set<int> pids;
    entities_.for_each(EntityKind::process, [&](EntityId, const Entity& process) {
      const auto pid = std::ranges::find(process.attributes, "process.pid", &Attribute::key);
      if (pid == process.attributes.end()) return;
      int number = 0;
      const char* const end = pid->value.data() + pid->value.size();
      if (std::from_chars(pid->value.data(), end, number).ptr == end) pids.insert(number);
    });
    return {pids.begin(), pids.end()};
  }

  const Clock& clock_;
  EntityTable& entities_;
  const Options options_;
  const Duration period_;
  const EngineTables tables_;
  ScrapeRounds rounds_;
  Claims claims_{true};
  const LocalAddresses local_ = LocalAddresses::of_this_machine();
  std::unique_ptr<Discovery> discovery_;    // null: nothing is looked for
  std::optional<EngineGpus> gpus_;          // with it
  std::map<uint64_t, Question> questions_;  // by tag
  SteadyTime next_look_{};
  std::map<uint64_t, Slot> slots_;  // by tag
  uint64_t last_tag_ = 0;
};

Result<std::unique_ptr<Source>> make(const SourceContext& context) {
  auto tables = EngineTables::load(context.options.list("tables"));
  if (!tables) return tl::unexpected(tables.error());
  auto rounds =
      ScrapeRounds::make(context.clock, context.options, context.options.duration("period"),
                         context.options.size("limits.body"));
  if (!rounds) return tl::unexpected(rounds.error());
  auto source = std::make_unique<ScrapeSource>(context, std::move(*tables), std::move(*rounds));
  if (auto added = source->add_configured(); !added) return tl::unexpected(added.error());
  return source;
}

std::vector<warpsight::Finding> diagnose(const SourceContext& context) {
  using State = warpsight::Finding::State;
  std::vector<warpsight::Finding> findings;
  for (const std::string& endpoint : context.options.list("endpoints")) {
    findings.push_back({State::ok, "endpoint " + shown_url(endpoint), {}});
  }
  if (!discovers(context)) return findings;
  const auto tables = EngineTables::load(context.options.list("tables"));
  if (!tables) return {{State::missing, tables.error().message, tables.error().hint}};
  Discovery discovery(tables->all(), {context.root, std::nullopt});
  discovery.update(context.clock.steady(), {});
  for (std::string& line : discovery.describe()) {
    findings.push_back({State::ok, "candidate " + std::move(line), {}});
  }
  for (const Listener& listener : discovery.out_of_reach()) {
    findings.push_back(
        {State::degraded,
         fmt::format("process {} listens on port {} in a network namespace of its own",
                     listener.owner.pid, listener.socket.port),
         "name its address under sources.scrape.endpoints, or run the agent in that namespace"});
  }
  if (discovery.left_out() > 0) {
    findings.push_back(
        {State::degraded,
         fmt::format("{} listening sockets more than are looked at", discovery.left_out()),
         "name the engines among them under sources.scrape.endpoints"});
  }
  if (findings.empty()) findings.push_back({State::ok, "no serving engine listens here", {}});
  return findings;
}

}  // namespace

constinit const SourceDef kScrapeSource = {
    .name = "scrape",
    .summary =
        "serving engines: vLLM, SGLang, TGI, Triton, NIM, Ray Serve, TensorRT-LLM, Dynamo, "
        "LMDeploy, llama.cpp",
    .isolation = Isolation::thread,
    .vendor = {},
    .options = kOptions,
    .make = make,
    .diagnose = diagnose,
    .present = nullptr,
    .repeatable = true,
};

}  // namespace warpsight::engines
