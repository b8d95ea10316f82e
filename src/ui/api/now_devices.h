// The GPUs and MIG instances of `now`.
#pragma once

#include "ui/api/now_facts.h"
#include "ui/api/now_json.h"
#include "wire/json.h"

namespace warpsight {

// "gpus": [...], each with its owners, processes and the alerts that stand.
void add_gpus(JsonWriter& json, const NowFacts& facts, const NowInputs& inputs);

}  // namespace warpsight
