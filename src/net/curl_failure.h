// What libcurl's errors mean.
#pragma once

#include <string>

#include "core/clock.h"
#include "net/curl_library.h"

namespace warpsight {

struct CurlOutcome {
  CURLcode code = CURLE_OK;
  std::string words;      // of libcurl's error buffer; may be empty
  long proxy_status = 0;  // of the answer to CONNECT; 0 when there was none
  std::string peer;       // for people
  Duration timeout;
};

TransportFailure failure_of(const CurlOutcome& outcome);

}  // namespace warpsight
