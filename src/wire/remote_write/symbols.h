// The strings of a remote write 2.0 request, each held once and known by its number; 0 is "".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpsight {

class SymbolTable {
 public:
  SymbolTable();
  SymbolTable(SymbolTable&&) = default;
  SymbolTable& operator=(SymbolTable&&) = default;

  // The number of `text`, which counts as used once more.
  uint32_t acquire(std::string_view text);
  void release(uint32_t symbol);

  std::string_view text(uint32_t symbol) const { return *symbols_[symbol].text; }
  size_t size() const { return symbols_.size(); }
  // What nobody uses stays in the table; when it is the greater part, make another table.
  bool mostly_unused() const { return unused_ > kSlack && unused_ > symbols_.size() / 2; }

  // The whole table as a request holds it.
  const std::string& encoded() const { return encoded_; }

 private:
  static constexpr size_t kSlack = 64;

  struct Symbol {
    const std::string* text;  // the key in numbers_
    uint32_t uses;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<Symbol> symbols_;
  size_t unused_ = 0;
  std::string encoded_;
};

}  // namespace warpsight
