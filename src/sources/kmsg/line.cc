#include "sources/kmsg/line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sources/sysfs/text.h"

namespace warpsight::kmsg {
namespace {

constexpr size_t kMaxMessage = 512;

bool consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Takes everything up to `mark` off `text`, and the mark; nothing when there is none.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + mark.size());
  return taken;
}

// The rest of the line up to ", "; the comma is dropped.
std::string_view take_item(std::string_view& text) {
  if (auto item = take_until(text, ", ")) return *item;
  return std::exchange(text, {});
}

std::string_view message_of(std::string_view text) { return trim(text).substr(0, kMaxMessage); }

// The code at the front of `text`, and the comma after it.
std::optional<unsigned> take_code(std::string_view& text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto code = to_number<unsigned>(text.substr(0, digits));
  constexpr unsigned kMost = 999'999;
  if (!code || *code > kMost) return std::nullopt;
  text.remove_prefix(digits);
  consume(text, ",");
  consume(text, " ");
  return code;
}

void take_process(std::string_view& text, GpuError& error) {
  if (consume(text, "pid=")) {
    const std::string_view pid = take_item(text);
    if (to_number<uint32_t>(pid)) error.pid = pid;
  }
  if (consume(text, "name=")) {
    const std::string_view name = take_item(text);
    if (!name.starts_with('<')) error.process = name;
  }
}

// After "NVRM: Xid (": "PCI:0000:9b:00 GPU-I:05): 79, pid=1, name=x, message"
std::optional<GpuError> parse_xid(std::string_view text) {
  auto place = take_until(text, "): ");
  if (!place) return std::nullopt;
  GpuError error;
  error.kind = GpuError::Kind::xid;
  error.address = normalise_address(next_word(*place));
  std::string_view instance = next_word(*place);
  if (consume(instance, "GPU-I:")) error.instance = instance;
  const auto code = take_code(text);
  if (error.address.empty() || !code) return std::nullopt;
  error.code = *code;
  take_process(text, error);
  error.message = message_of(text);
  return error;
}

// "NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus." and its older wordings, one of which
// runs over several lines. Only an address with a domain is one here: "10de:2330" is a device id.
std::optional<GpuError> parse_fallen_off_bus(std::string_view text) {
  if (text.find("fallen off the bus") == std::string_view::npos) return std::nullopt;
  GpuError error;
  error.kind = GpuError::Kind::fallen_off_bus;
  error.message = message_of(text);
  while (error.address.empty() && !text.empty()) {
    std::string_view word = next_word(text);
    if (word.empty()) break;
    while (!word.empty() && (word.back() == ':' || word.back() == ',')) word.remove_suffix(1);
    if (std::ranges::count(word, ':') >= 2) error.address = normalise_address(word);
  }
  if (error.address.empty()) return std::nullopt;
  return error;
}

// "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 LTSSM Fault Up". The
// "Severity" and "Data" lines that follow belong to the same error.
std::optional<GpuError> parse_sxid(std::string_view text) {
  GpuError error;
  error.kind = GpuError::Kind::sxid;
  const auto unit = take_until(text, ": SXid (");
  if (!unit || unit->find(' ') != std::string_view::npos) return std::nullopt;
  error.unit = *unit;
  const auto place = take_until(text, "): ");
  if (!place) return std::nullopt;
  error.address = normalise_address(*place);
  const auto code = take_code(text);
  if (error.address.empty() || !code) return std::nullopt;
  error.code = *code;
  error.fatal = consume(text, "Fatal, ");
  if (!error.fatal && !consume(text, "Non-fatal, ")) return std::nullopt;
  error.message = message_of(text);
  return error;
}

}  // namespace

std::optional<Record> parse_record(std::string_view bytes) {
  auto header = take_until(bytes, ";");
  if (!header) return std::nullopt;
  const auto field = [&] {
    const size_t comma = header->find(',');
    const std::string_view taken = header->substr(0, comma);
    header->remove_prefix(comma == std::string_view::npos ? header->size() : comma + 1);
    return taken;
  };
  const auto priority = to_number<unsigned>(field());
  const auto sequence = to_number<uint64_t>(field());
  const auto time = to_number<int64_t>(field());
  if (!priority || !sequence || !time || *time < 0) return std::nullopt;
  return Record{*priority, *sequence, std::chrono::microseconds{*time}, next_line(bytes)};
}

void unescape(std::string_view text, std::string& out) {
  constexpr unsigned kAsciiEnd = 0x7f;
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (text.substr(i).starts_with("\\x")) {
      const auto code = to_number<uint8_t>(text.substr(i + 2, 2), 16);
      if (code && *code < kAsciiEnd && text.size() >= i + 4) {
        byte = *code;
        i += 3;
      }
    }
    const bool printable = (byte >= ' ' && byte < kAsciiEnd) || byte == '\n';
    out += printable ? static_cast<char>(byte) : (byte < ' ' ? ' ' : '?');
  }
}

std::string normalise_address(std::string_view text) {
  consume(text, "PCI:");
  // Domain, bus, slot, function; hexadecimal.
  std::array<uint32_t, 4> parts{};
  size_t count = 0;
  if (const size_t dot = text.find('.'); dot != std::string_view::npos) {
    const auto function = to_number<uint32_t>(text.substr(dot + 1), 16);
    if (!function || *function > 7) return {};
    parts[3] = *function;
    text = text.substr(0, dot);
  }
  while (count < 3) {
    const size_t colon = text.find(':');
    const auto part = to_number<uint32_t>(text.substr(0, colon), 16);
    if (!part) return {};
    parts[count++] = *part;
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
    if (count == 3) return {};
  }
  if (count == 2) parts = {0, parts[0], parts[1], parts[3]};
  if (count < 2 || parts[1] > 0xff || parts[2] > 0x1f) return {};
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", parts[0], parts[1], parts[2], parts[3]);
}

std::optional<GpuError> parse_gpu_error(std::string_view text) {
  if (text.starts_with("nvidia-nvswitch")) return parse_sxid(text);
  if (!consume(text, "NVRM: ")) return std::nullopt;
  if (consume(text, "Xid (")) return parse_xid(text);
  return parse_fallen_off_bus(text);
}

}  // namespace warpsight::kmsg
