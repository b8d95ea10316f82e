// Labels as nearly all pages write them: bare names, one comma between two, no blanks, no
// backslashes. Others are good or bad; whoever asked must look closer.
#pragma once

#include <span>

#include "wire/prometheus_text/scan.h"

namespace warpsight::prometheus_text {

struct PlainLabel {
  const char* value;  // behind the opening quote
  const char* close;  // the closing one, with at least a byte behind it; null: not plain
};

// The label whose name begins at `at`. Nothing at or past `end` is read, here and below.
inline PlainLabel plain_label(const char* at, const char* end) {
  const char* stop = label_name_end(at, end);
  if (stop == at || is_digit(*at) || end - stop < 2) return {nullptr, nullptr};
  if (stop[0] != '=' || stop[1] != '"') return {nullptr, nullptr};
  const char* value = stop + 2;
  stop = find_string_byte(value, end);
  return {value, end - stop < 2 || *stop != '"' ? nullptr : stop};
}

// The end of plain labels, behind their closing brace; null for others. `at` is where the first
// name begins.
struct LabelScan {
  const char* name;
  const char* (*labels_end)(const char* at, const char* end);
};

// What this machine can run: what runs anywhere first, the fastest for many labels last. One may
// have no answer where another has one, but no two differ.
std::span<const LabelScan> label_scans();

// By the fastest.
const char* many_plain_labels_end(const char* at, const char* end);

// The same for any number of labels, of which most lines have few.
inline const char* plain_labels_end(const char* at, const char* end) {
  for (int few = 2; few > 0; --few) {
    const char* close = plain_label(at, end).close;
    if (close == nullptr) return nullptr;
    if (close[1] == '}') return close + 2;
    if (close[1] != ',') return nullptr;
    at = close + 2;
  }
  return many_plain_labels_end(at, end);
}

}  // namespace warpsight::prometheus_text
