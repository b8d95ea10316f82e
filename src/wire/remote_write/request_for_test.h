// Requests as the encoder would make them, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/remote_write/series.h"
#include "wire/remote_write/symbols.h"

namespace warpsight::test {

class RequestBuilder {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  RequestBuilder& add(const Labels& labels, const RemoteSample& sample,
                      RemoteWriteType type = RemoteWriteType::gauge, std::string_view help = {}) {
    std::vector<uint32_t> refs;
    for (const auto& [name, value] : labels) {
      refs.push_back(symbols_.acquire(name));
      refs.push_back(symbols_.acquire(value));
    }
    std::string constant;
    append_label_refs(constant, refs);
    append_metadata(constant, {type, symbols_.acquire(help), symbols_.acquire("bytes")});
    append_series(series_, constant, sample);
    return *this;
  }
  std::string bytes() const { return symbols_.encoded() + series_; }

 private:
  SymbolTable symbols_;
  std::string series_;
};

}  // namespace warpsight::test
