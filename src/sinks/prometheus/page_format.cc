#include "sinks/prometheus/page_format.h"

#include "wire/utf8.h"

namespace warpsight {
namespace {

void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      const Utf8Part part = next_utf8(text.substr(at));
      out.append(part.valid ? text.substr(at, part.size) : kUtf8Replacement);
      at += part.size;
      continue;
    }
    ++at;
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

void append_meta(std::string& out, std::string_view word, std::string_view name,
                 std::string_view text) {
  out.append("# ").append(word).append(" ").append(name).append(" ").append(text).append("\n");
}

}  // namespace

std::string_view content_type(PageFormat format) {
  return format == PageFormat::classic
             ? "text/plain; version=0.0.4; charset=utf-8"
             : "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

void append_label(std::string& out, std::string_view name, std::string_view value) {
  if (!out.empty() && !out.ends_with('{')) out += ',';
  out.append(name).append("=\"");
  append_escaped(out, value, true);
  out += '"';
}

void append_header(std::string& out, const FamilyText& family, PageFormat format) {
  const bool open = format == PageFormat::open_metrics;
  out.append("# HELP ").append(family.name).append(" ");
  append_escaped(out, family.help, open);
  out += '\n';
  append_meta(out, "TYPE", family.name, family.type);
  if (open && !family.unit.empty()) append_meta(out, "UNIT", family.name, family.unit);
}

}  // namespace warpsight
