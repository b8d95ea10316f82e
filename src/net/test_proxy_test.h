// An HTTP proxy for tests that knows CONNECT.
#pragma once

#include <string>

#include "net/scripted_server_test.h"

namespace warpsight::test {

// Lets through who sends this in Proxy-Authorization, or anybody where it is empty; answers 407
// else. `heads` gathers the requests. All names lead to the loopback.
ScriptedServer::Script serve_proxy(std::string authorization, std::vector<std::string>& heads);

}  // namespace warpsight::test
