#include "app/own_node.h"

#include <utility>

#include "app/one_reading.h"
#include "app/setup.h"
#include "core/version.h"
#include "ui/api/live_message.h"

namespace warpsight {
namespace {

// Drivers sample what processes do about once a second.
constexpr Duration kFirstGap = std::chrono::milliseconds{1200};
constexpr Duration kPatience = std::chrono::seconds{2};

Config without_sinks(Config config) {
  for (Section& sink : config.sinks) (void)sink.options.set("enabled", "false");
  return config;
}

}  // namespace

OwnNode::OwnNode(Config config, std::string scenario)
    : started_(clock_.steady()),
      pipeline_({without_sinks(std::move(config)), std::move(scenario), own_executable()}, clock_) {
}

OwnNode::~OwnNode() { pipeline_.stop(kPatience); }

AgentBasics OwnNode::basics() const {
  return {.host = host_name(pipeline_.resource()),
          .version = kVersion,
          .scenario = pipeline_.simulate(),
          .uptime = clock_.steady() - started_,
          .interval = interval_};
}

Result<std::string> OwnNode::now() {
  if (published_ == Time{}) {
    const auto complete = run_twice(pipeline_, clock_, kFirstGap, [this] { pipeline_.publish(); });
    if (!complete) return tl::unexpected(complete.error());
  }
  pipeline_.publish();
  const Time now = clock_.now();
  if (published_ != Time{}) interval_ = now - published_;
  published_ = now;
  std::string text;
  append_now(text, *this);
  return text;
}

}  // namespace warpsight
