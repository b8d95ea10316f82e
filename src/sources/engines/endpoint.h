// One page that is scraped again and again: where it is, what is known of it, how it fares.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/batch.h"
#include "net/http_fetcher.h"
#include "sources/engines/pages/page_reader.h"
#include "sources/engines/pages/serving_subjects.h"

namespace warpsight::engines {

// A private attribute of what llm.up is said of: whether the config names the endpoint.
inline constexpr std::string_view kEndpointMark = ".endpoint";
inline constexpr std::string_view kNamedEndpoint = "named";
inline constexpr std::string_view kFoundEndpoint = "found";

struct EndpointSettings {
  std::string origin;  // the URL without its path
  std::string url;
  std::string address;  // server.address: "host:port", or the socket's path
  PageSettings page;
  std::string operation;                // gen_ai.operation.name
  const EngineTable* engine = nullptr;  // as configured or found; nullptr: the page tells
  std::string version;                  // as found; empty: not known
  bool lasting = true;                  // named by the config, not found by looking
};

// Why a scrape brought nothing: `type` is error.type of llm.up.
struct ScrapeFailure {
  std::string type;
  std::string message;
  std::string hint;
};

// What the answer to a scrape is worth: the body's format, or why it is no page.
tl::expected<prometheus_text::TextFormat, ScrapeFailure> judge(
    const TransportResult<HttpReply>& reply);

class Endpoint {
 public:
  // References outlive it.
  Endpoint(EndpointSettings settings, const EngineTables& tables, Claims& claims,
           EntityTable& entities);

  const std::string& url() const { return settings_.url; }
  const std::string& address() const { return settings_.address; }
  const std::string& version() const { return settings_.version; }
  bool lasting() const { return settings_.lasting; }
  // What llm.up is said of while it is up; kNoEntity while it is down.
  EntityId up() const { return was_up_ ? up_ : kNoEntity; }
  // As far as known; nullptr: not yet.
  const EngineTable* engine() const { return engine_; }
  // Empty while its last scrape was good.
  const std::string& trouble() const { return trouble_; }

  // Takes the outcome of a scrape; `out` has begun at the time it came.
  void take(const Fetched& fetched, Batch& out);

  // Where the engine tells its release, when that should be asked for: once after it has come up.
  std::optional<std::string> version_url();
  void take_version(std::string_view body, Batch& out);

  // It is no more.
  void end(Batch& out);

 private:
  void tell(double up, std::string_view error, Batch& out);
  void tell_up(Batch& out);
  void tell_down(const ScrapeFailure& why, Batch& out);
  void warn_once(const PageOutcome& outcome, Batch& out);
  EntityId up_entity(std::string_view error);

  EndpointSettings settings_;
  EntityTable& entities_;
  ServingSubjects subjects_;
  PageReader reader_;
  const EngineTable* engine_;
  EntityId up_;  // what llm.up is said of: the engine, with error.type while it is down
  bool told_ = false;
  bool was_up_ = false;
  bool complained_ = false;  // of the page as it is
  bool asked_version_ = false;
  std::string trouble_;
  std::string trouble_type_;
};

}  // namespace warpsight::engines
