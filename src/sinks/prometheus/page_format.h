// The two text formats of a page and what is common to writing them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpsight {

enum class PageFormat : uint8_t {
  classic,       // text 0.0.4
  open_metrics,  // 1.0.0
};

std::string_view content_type(PageFormat format);

// Appends name="value", after a comma unless it is the first. Bytes that are not UTF-8 are
// replaced.
void append_label(std::string& out, std::string_view name, std::string_view value);

struct FamilyText {
  std::string_view name;
  std::string_view type;
  std::string_view unit;  // OpenMetrics only; may be empty
  std::string_view help;
};

// The HELP, TYPE and, in OpenMetrics, UNIT lines.
void append_header(std::string& out, const FamilyText& family, PageFormat format);

}  // namespace warpsight
