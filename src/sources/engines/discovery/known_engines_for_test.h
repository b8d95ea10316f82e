// For tests of discovery: tables as far as they tell engines apart.
#pragma once

#include <vector>

#include "sources/engines/tables/table.h"

namespace warpsight::engines::testing {

inline std::vector<EngineTable> known_engines() {
  EngineTable vllm;
  vllm.name = "vllm";
  vllm.title = "vLLM";
  vllm.ports = {8000};
  vllm.paths = {"/metrics"};
  vllm.commands = {"vllm serve", "vllm.entrypoints"};
  vllm.owned_by = {"vllm"};
  vllm.version_path = "/version";
  vllm.prefixes = {"vllm:"};

  EngineTable sglang;
  sglang.name = "sglang";
  sglang.title = "SGLang";
  sglang.ports = {30000};
  sglang.paths = {"/metrics"};
  sglang.commands = {"sglang.launch_server"};
  sglang.owned_by = {"sglang"};
  sglang.version_path = "/get_server_info";
  sglang.prefixes = {"sglang:"};

  EngineTable trtllm;
  trtllm.name = "trtllm";
  trtllm.title = "TensorRT-LLM";
  trtllm.ports = {8000};
  trtllm.paths = {"/prometheus/metrics"};
  trtllm.commands = {"trtllm-serve"};
  trtllm.owned_by = {"tensorrt_llm"};
  trtllm.version_path = "/version";
  trtllm.prefixes = {"trtllm_"};

  EngineTable llamacpp;
  llamacpp.name = "llamacpp";
  llamacpp.title = "llama.cpp";
  llamacpp.ports = {8080};
  llamacpp.paths = {"/metrics"};
  llamacpp.commands = {"llama-server"};
  llamacpp.owned_by = {"llamacpp"};
  llamacpp.prefixes = {"llamacpp:"};

  EngineTable tgi;
  tgi.name = "tgi";
  tgi.title = "TGI";
  tgi.ports = {3000};
  tgi.paths = {"/metrics"};
  tgi.commands = {"text-generation-launcher", "text-generation-router"};
  tgi.version_path = "/info";
  tgi.prefixes = {"tgi_"};

  EngineTable nim;
  nim.name = "nim";
  nim.title = "NIM";
  nim.ports = {8000};
  nim.paths = {"/metrics", "/v1/metrics"};
  nim.signs = {"gpu_cache_usage_perc"};
  return {vllm, sglang, trtllm, llamacpp, tgi, nim};
}

}  // namespace warpsight::engines::testing
