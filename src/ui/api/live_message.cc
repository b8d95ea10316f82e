#include "ui/api/live_message.h"

#include <span>

namespace warpsight {

void append_now(std::string& out, ApiInputs& inputs) {
  const AgentBasics basics = inputs.basics();
  const identity::OwnersReport owners = inputs.owners();
  const EngineGpus gpus = inputs.engine_gpus();
  const alerts::Engine* engine = inputs.alerts();
  append_now_json(
      out, {inputs.registry(), inputs.entities(), basics, owners,
            engine == nullptr ? std::span<const Alert>{} : std::span(engine->alerts()), gpus});
}

std::string live_message(ApiInputs& inputs) {
  std::string out = "event: now\ndata: ";
  append_now(out, inputs);
  out += "\n\n";
  return out;
}

}  // namespace warpsight
