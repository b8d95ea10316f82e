// JSON lines in a file.
#pragma once

#include <memory>
#include <span>

#include "runtime/sink.h"

namespace warpsight {

std::span<const OptionDef> file_sink_options();

Result<std::unique_ptr<Sink>> make_file_sink(const SinkContext& context);

}  // namespace warpsight
