// JSON lines on standard output, for pipes and for a look by eye.
#pragma once

#include <memory>
#include <span>

#include "runtime/sink.h"

namespace warpsight {

std::span<const OptionDef> stdout_sink_options();

Result<std::unique_ptr<Sink>> make_stdout_sink(const SinkContext& context);

// The same on another descriptor, which stays the caller's.
std::unique_ptr<Sink> make_line_sink(const SinkContext& context, int fd);

}  // namespace warpsight
