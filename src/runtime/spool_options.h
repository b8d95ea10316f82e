// The keys of a sink that keeps on disk what its peer does not take.
#pragma once

#include <array>

#include "runtime/options.h"

namespace warpsight {

inline constexpr std::array kSpoolOptions = {
    OptionDef{
        "spool.size", OptionType::size, "256MiB",
        "The most that waits on disk, compressed; at the limit the oldest is dropped and counted.",
        "1MiB.."},
    OptionDef{"spool.age", OptionType::duration, "48h",
              "What is older is dropped and counted instead of being sent.", "1m.."},
    OptionDef{"spool.fsync", OptionType::choice, "interval",
              "When to wait for the disk: `never`, each `spool.fsync_interval`, or `always`. A "
              "crash of the agent loses nothing either way; a crash of the machine may.",
              "never|interval|always"},
    OptionDef{"spool.fsync_interval", OptionType::duration, "10s", "With `spool.fsync: interval`.",
              "100ms..1h"},
    OptionDef{"retry.first", OptionType::duration, "1s",
              "The wait after a first failure; it doubles with each further one, with jitter.",
              "10ms..10m"},
    OptionDef{"retry.longest", OptionType::duration, "1m", "The longest such wait.", "10ms..1h"},
};

}  // namespace warpsight
