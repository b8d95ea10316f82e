// The URL of a request, taken apart by libcurl.
#pragma once

#include <string>

#include "net/curl_library.h"

namespace warpsight {

struct HttpTarget {
  std::string url;         // to hand to libcurl
  std::string socket;      // of the unix socket to connect to; empty for TCP
  std::string connect_to;  // for CURLOPT_CONNECT_TO; empty where the URL alone will do
  std::string host;        // the Host header that goes with it; empty as above
  std::string peer;        // for people: "https://host:4318", never with credentials or a query
};

// A URL is http://, https://, or unix:/path/of.socket:/path/of/page, which is asked of "localhost"
// without TLS. Any other is a setup failure, which does not quote it. With a `server_name` the URL
// is that of the name TLS shall expect, the connection goes to the URL's own host, and so does the
// Host header.
TransportResult<HttpTarget> parse_target(const CurlLibrary& curl, const std::string& url,
                                         const std::string& server_name);

}  // namespace warpsight
