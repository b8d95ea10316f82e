// What NVIDIA's XID codes mean and what to do about them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/batch.h"

namespace warpsight {

// Who is to blame more often than not.
enum class XidFault : uint8_t { application, driver, hardware, thermal, fabric, information };

struct XidCode {
  uint16_t code;
  XidFault fault;
  Severity severity;  // error: the GPU is of no use, or not to be trusted, until someone acts
  std::string_view meaning;
  std::string_view action;
};

// By code.
std::span<const XidCode> xid_codes();

// nullptr for a code that is not known here.
const XidCode* find_xid(unsigned code);

std::string_view to_string(XidFault fault);

// docs/xids.md.
std::string xid_markdown();

}  // namespace warpsight
