// What OpenSSL has to say about a failure, for people.
#pragma once

#include <string>
#include <string_view>

#include "net/transport_failure.h"

namespace warpsight {

// What to do about a handshake that failed, judged by the words for it of OpenSSL or libcurl.
std::string_view tls_hint(std::string_view words);

// The oldest error in OpenSSL's queue of this thread, which is emptied; "" when there is none.
std::string take_tls_error();

}  // namespace warpsight
