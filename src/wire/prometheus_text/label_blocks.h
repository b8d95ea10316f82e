// Labels told by sixty-four bytes at once: bit i of a mask is byte i of a block, and the grammar of
// `label="value",label="value"}` is a handful of relations between neighbouring bits. How a block
// becomes masks is the processor's affair.
#pragma once

#include <bit>
#include <cstdint>

namespace warpsight::prometheus_text {

// Which bytes of a block are of which kind.
struct BlockMasks {
  uint64_t letters;  // and underscores
  uint64_t digits;
  uint64_t quotes;
  uint64_t equals;
  uint64_t commas;
  uint64_t closes;  // '}'
  uint64_t breaks;  // newlines and backslashes, which no plain string has
  uint64_t odd;     // from each quote with an even number before it to the next, exclusive
};

// The labels of one series, added block by block until they close.
class LabelBlocks {
 public:
  // False when the labels are not plain.
  bool add(const BlockMasks& masks) {
    const uint64_t strings = masks.odd ^ in_string_;  // from the opening quote on
    const uint64_t outside = ~(strings | masks.quotes);
    const uint64_t equals = masks.equals & outside;
    const uint64_t commas = masks.commas & outside;
    const uint64_t closing = masks.quotes & ~strings;
    closes_ = masks.closes & outside;
    const uint64_t known = masks.letters | masks.digits | equals | commas | closes_;
    const uint64_t wrong = (outside & ~known) | (strings & masks.breaks) |
                           ((equals << 1U | behind_equals_) ^ (masks.quotes & strings)) |
                           ((closing << 1U | behind_closing_) ^ (commas | closes_)) |
                           ((commas << 1U | behind_comma_) & ~masks.letters);
    in_string_ = 0 - (strings >> 63U);
    behind_equals_ = equals >> 63U;
    behind_closing_ = closing >> 63U;
    behind_comma_ = commas >> 63U;
    const uint64_t labels = closes_ ^ (closes_ - 1);  // all bits where none closes them
    return (wrong & labels) == 0;
  }

  // The lowest bit is the closing brace, where the last block has it.
  uint64_t closes() const { return closes_; }

 private:
  uint64_t closes_ = 0;
  uint64_t in_string_ = 0;  // all bits or none
  uint64_t behind_equals_ = 0;
  uint64_t behind_closing_ = 0;
  uint64_t behind_comma_ = 1;  // so is the first label's name
};

// LabelScan::labels_end for a processor whose `masks(at)` makes those of a block.
template <typename Processor>
const char* labels_end_of(const char* at, const char* end) {
  constexpr int kBlock = 64;
  LabelBlocks labels;
  for (; end - at >= kBlock; at += kBlock) {
    if (!labels.add(Processor::masks(at))) return nullptr;
    if (labels.closes() != 0) return at + std::countr_zero(labels.closes()) + 1;
  }
  return nullptr;
}

}  // namespace warpsight::prometheus_text
