// Whatever a server answers: few questions, an end, and no /metrics of one that may be
// trtllm-serve. The input is answers: a byte for the status, two for the length of the body, the
// body.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sources/engines/discovery/identify.h"
#include "sources/engines/discovery/known_engines_for_test.h"
#include "wire/json_lookup.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct Answer {
  int status = 0;
  std::string_view body;
};

Answer next_answer(std::string_view& input) {
  static constexpr std::array kStatus = {200, 404, 0, 401, 501, 503, 302, 500};
  if (input.size() < 3) return {};
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(input[at]); };
  const size_t size = byte(1) * size_t{256} + byte(2);
  const int status = kStatus[byte(0) % kStatus.size()];
  const Answer answer{status, input.substr(3, size)};
  input.remove_prefix(std::min(input.size(), 3 + size));
  return answer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight::engines;
  static const auto tables = testing::known_engines();
  static constexpr std::array<std::string_view, 1> kVersion = {"version"};
  static constexpr std::array<std::string_view, 3> kOwner = {"data", "0", "owned_by"};

  std::string_view input(reinterpret_cast<const char*>(data), size);
  Identification identification(tables, 8000, {});
  bool has_version = false;
  bool other_engine = false;
  for (size_t asked = 0;; ++asked) {
    const auto next = identification.next();
    if (const auto* verdict = std::get_if<Verdict>(&next)) {
      require((verdict->finding != Finding::engine) || verdict->engine != nullptr);
      require(verdict->version.size() <= 300);
      return 0;
    }
    require(asked < Identification::kMaxRequests);
    const std::string& path = std::get<std::string>(next);
    require(path != "/metrics" || !has_version || other_engine);
    const Answer answer = next_answer(input);
    if (path == "/version" && answer.status == 200) {
      has_version = warpsight::json_string(answer.body, kVersion).has_value();
    }
    if (path == "/v1/models" && answer.status == 200) {
      const auto owner = warpsight::json_string(answer.body, kOwner);
      other_engine = owner && !owner->starts_with("tensorrt_llm");
    }
    identification.take(path, answer.status, answer.body, "");
  }
}
