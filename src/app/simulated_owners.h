// Whose the GPUs of a scenario are, as it says itself.
#pragma once

#include "core/ownership.h"
#include "simulate/scenario.h"

namespace warpsight {

Ownership simulated_owners(const simulate::Scenario& scenario);

}  // namespace warpsight
