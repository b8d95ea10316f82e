// A child of ours may be corrupted by the vendor library it hosts: its replies are foreign bytes.
#include <cstdint>
#include <string_view>

#include "core/batch.h"
#include "core/entity.h"
#include "runtime/probe_wire.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  EntityTable entities(1000);
  probe::BatchDecoder decoder(entities);
  Batch batch;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)decoder.decode(bytes, batch);
  (void)probe::decode_start(bytes);
  return 0;
}
