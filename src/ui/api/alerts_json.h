// Alerts, the rules they come from, and the silences over them.
#pragma once

#include <span>
#include <string>

#include "alerts/rule.h"
#include "alerts/silences.h"
#include "core/alert.h"
#include "core/clock.h"
#include "wire/json.h"

namespace warpsight {

// One object, as `now` and `alerts` list it.
void add_alert(JsonWriter& json, const Alert& alert, bool silenced);

void append_silence_json(std::string& out, const alerts::Silence& silence);

struct AlertsInputs {
  std::span<const Alert> alerts;
  std::span<const alerts::Rule> rules;
  const alerts::Silences& silences;
  Time now;
};

// Whether an alert is silenced is said as of now, not as of the last publish: a silence is seen as
// soon as it was made.
void append_alerts_json(std::string& out, const AlertsInputs& inputs);

}  // namespace warpsight
