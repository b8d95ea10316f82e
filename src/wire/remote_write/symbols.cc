#include "wire/remote_write/symbols.h"

#include "wire/proto_writer.h"
#include "wire/remote_write/fields.h"

namespace warpsight {

SymbolTable::SymbolTable() { acquire({}); }

uint32_t SymbolTable::acquire(std::string_view text) {
  if (const auto known = numbers_.find(text); known != numbers_.end()) {
    Symbol& symbol = symbols_[known->second];
    if (symbol.uses++ == 0) --unused_;
    return known->second;
  }
  const auto number = static_cast<uint32_t>(symbols_.size());
  const auto added = numbers_.emplace(text, number).first;
  symbols_.push_back({&added->first, 1});
  append_bytes(encoded_, bytes_tag(rw::kRequestSymbols), text);
  return number;
}

void SymbolTable::release(uint32_t symbol) {
  if (--symbols_[symbol].uses == 0) ++unused_;
}

}  // namespace warpsight
