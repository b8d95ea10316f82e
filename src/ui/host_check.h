// Whether a request's Host header can be meant for us.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpsight {

// Letters, digits and the few signs a host and port consist of, of sane length.
bool is_host(std::string_view header);

// True for an address in digits, localhost and the names given. A page reachable on loopback alone
// answers to nothing else: a web site that points its own name at 127.0.0.1 would read it through
// the browser of whoever visits it.
bool names_this_machine(std::string_view header, std::span<const std::string> names);

}  // namespace warpsight
