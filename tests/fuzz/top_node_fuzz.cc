// An agent's answers on any bytes: what is read of them can be drawn, and no control character
// reaches a terminal.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "top/model.h"
#include "top/node.h"
#include "top/render.h"
#include "top/table.h"

namespace {

using namespace warpsight;
using namespace warpsight::top;

void require_printable(std::string_view text) {
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if ((code < 0x20 && byte != '\n') || code == 0x7f) std::abort();
  }
}

std::string drawn(Model& model, int width, int height) {
  model.resize(width, height);
  Canvas canvas(width, height, Charset::utf8);
  render(model, canvas);
  return canvas.text();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto node = parse_node(text);
  if (!node) return 0;
  require_printable(once_text({*node}, 100, Charset::utf8));
  Past past = parse_past(text, *node);
  Model model({"host"}, SteadyTime{});
  model.take(0, {.node = std::move(*node), .past = std::move(past)}, SteadyTime{});
  require_printable(drawn(model, 160, 48));
  for (const Key::Kind key : {Key::Kind::enter, Key::Kind::end}) model.press({key});
  require_printable(drawn(model, 80, 24));
  return 0;
}
