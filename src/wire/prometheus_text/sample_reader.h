// The samples of one body, line after line. Neighbouring lines tend to differ in the value of the
// same label first: what precedes it is compared with the line before and not read again.
#pragma once

#include "wire/prometheus_text/line.h"

namespace warpsight::prometheus_text {

class SampleReader {
 public:
  SampleReader(const char* end, TextFormat format) : end_(end), format_(format) {}

  // read_sample() for a line of the body that ends at `end`.
  Problem read(const char*& at, SampleView& sample);

 private:
  const char* read_alike(const char* at, SampleView& sample) const;
  void remember(const SampleView& sample);

  const char* end_;
  TextFormat format_;
  const char* before_ = nullptr;  // the series of a line
  size_t before_size_ = 0;
  size_t name_size_ = 0;  // of its name; 0: it is quoted
  size_t alike_ = 0;      // its bytes before a label's value, plain; 0: none are expected
};

}  // namespace warpsight::prometheus_text
