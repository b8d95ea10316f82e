// Asks slurmrestd about jobs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/result.h"
#include "sources/slurm/job_query.h"

namespace warpsight::slurm {

struct RestSettings {
  std::string address;  // "unix:/path/of.socket" or "http(s)://host:port"
  std::string token = {};
  Duration timeout = std::chrono::seconds{5};
};

// Whether an address is one of these forms.
Result<> check_rest_address(std::string_view address);

// The newest version of the API that both speak is found out with the first question. A token is
// refused where it would leave the machine without TLS.
Result<std::unique_ptr<JobQuery>> make_rest_query(RestSettings settings, std::string node);

}  // namespace warpsight::slurm
