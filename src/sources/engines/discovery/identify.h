// What server is behind a listening socket, found out with a few harmless questions. Does no I/O.
//
// `/metrics` is not among the harmless ones: trtllm-serve answers it with statistics that it then
// forgets, and somebody may be waiting for them. It is asked only of a server that is known to be
// another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sources/engines/tables/table.h"

namespace warpsight::engines {

enum class Finding : uint8_t {
  engine,             // its page was seen
  metrics_off,        // an engine that shows no page
  not_an_engine,      // whatever it is, no table knows it
  needs_credentials,  // it answers 401 or 403
  unreachable,        // no connection, or no HTTP
  undecided,          // not ready, or not safe to ask further
};

enum class Evidence : uint8_t { none, command_line, models, page };

struct Verdict {
  Finding finding = Finding::undecided;
  const EngineTable* engine = nullptr;  // where it is known
  Evidence evidence = Evidence::none;
  std::string path;     // of its page
  std::string version;  // empty: not told
  std::string hint;     // what a person may do; empty: nothing
};

// Whether the answer is a page of Prometheus text or OpenMetrics.
bool is_prometheus_page(std::string_view body, std::string_view content_type);

class Identification {
 public:
  static constexpr size_t kMaxRequests = 6;
  static constexpr size_t kBodyLimit = size_t{64} * 1024;

  // `command_lines` of the process and those it descends from, nearest first; of an unknown process
  // none. `tables` outlive it.
  Identification(std::span<const EngineTable> tables, uint16_t port,
                 std::span<const std::string> command_lines);

  // The path to GET now, or what it is. The path stays until its answer is taken.
  std::variant<std::string, Verdict> next() const;

  // The answer for the path that next() named; for another path it is ignored. Status 0: there was
  // none. A body may be cut off at kBodyLimit.
  void take(std::string_view path, int status, std::string_view body,
            std::string_view content_type);

 private:
  enum class Stage : uint8_t { version, models, pages, decided };

  void ask(Stage stage, std::string path);
  void decide(Finding finding, std::string hint = {});
  void take_version(int status, std::string_view body);
  void take_models(int status, std::string_view body);
  void take_page(int status, std::string_view body, std::string_view content_type);
  void know(const EngineTable& engine, Evidence evidence);
  void ask_pages();
  void ask_next_page();
  const EngineTable* whose_page(std::string_view body) const;

  std::span<const EngineTable> tables_;
  uint16_t port_;
  size_t requests_ = 0;
  Stage stage_ = Stage::version;
  std::string asked_;
  bool has_version_ = false;        // /version is answered as trtllm-serve and vLLM do
  std::vector<std::string> pages_;  // still to be asked for, best first
  Verdict verdict_;
};

}  // namespace warpsight::engines
