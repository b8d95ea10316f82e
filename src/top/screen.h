// The screen: feeds and keys go into the model, the model onto the terminal.
#pragma once

#include <memory>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "top/canvas.h"
#include "top/feed.h"

namespace warpsight::top {

struct ScreenSettings {
  Charset charset = Charset::utf8;
  bool colour = true;
};

// Until the person leaves, a signal asks for it, or the terminal goes away. The feeds are not yet
// started; `feeds` has one at least.
Result<> run_screen(const ScreenSettings& settings, std::vector<std::unique_ptr<Feed>> feeds,
                    const Clock& clock);

}  // namespace warpsight::top
