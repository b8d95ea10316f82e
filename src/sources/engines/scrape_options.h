// The keys that sources which read pages have in common.
#pragma once

#include <array>

#include "core/result.h"
#include "runtime/options.h"
#include "sources/engines/pages/page_reader.h"

namespace warpsight::engines {

// OpenMetrics before the classic text, and either before anything else.
inline constexpr const char* kAcceptPages =
    "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.9,*/*;q=0.1";

Result<> check_page_address(std::string_view text);

inline constexpr std::array kPageOptions = {
    OptionDef{"limits.body", OptionType::size, "16MiB",
              "The largest page that is read, after decompression.", "1KiB..1GiB"},
    OptionDef{"limits.series", OptionType::integer, "20000",
              "Series of one page that are looked at; further ones are dropped and counted.",
              "100..1000000"},
};

}  // namespace warpsight::engines
