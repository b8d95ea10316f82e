// All sinks. A new one is a row here.
#pragma once

#include <span>
#include <string_view>

#include "runtime/options.h"
#include "runtime/sink.h"

namespace warpsight {

std::span<const SinkDef> sink_table();

// nullptr when there is no such sink.
const SinkDef* find_sink(std::string_view name);

// The page is pulled, not delivered, so it is no Sink; it is configured beside them all the same.
struct PageDef {
  std::string_view name;
  std::string_view summary;
  std::span<const OptionDef> options;
};
const PageDef& prometheus_page();

}  // namespace warpsight
