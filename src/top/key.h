// What a person pressed.
#pragma once

#include <cstdint>

namespace warpsight::top {

struct Key {
  enum class Kind : uint8_t {
    character,
    up,
    down,
    page_up,
    page_down,
    home,
    end,
    enter,
    escape,
    tab,
    back_tab,
    backspace,
  };

  Kind kind = Kind::character;
  char32_t character = 0;
};

}  // namespace warpsight::top
