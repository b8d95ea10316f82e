// Strings as drivers write them, made fit to be attributes.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpsight::nvml {

// The text in `buffer` up to its NUL, without blanks around it. Bytes that are no UTF-8 and control
// characters become '?', in place.
std::string_view clean_text(std::span<char> buffer);

// A PCI address as sysfs writes it ("0000:06:00.0") from any of NVML's forms
// ("00000000:06:00.0"); lower case. Empty when `text` is no address.
std::string normal_pci_address(std::string_view text);

}  // namespace warpsight::nvml
