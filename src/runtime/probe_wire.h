// What agent and probe child say to each other over their socket. Both are the same binary, so
// numbers travel in the machine's own layout; nothing that arrives is trusted all the same.
//
// A frame is a 4-byte length, a type byte and that many bytes less one. The agent sends `start`
// once, then `collect` whenever it wants a run, `admit` to end a device's quarantine. The child
// answers each `collect` with one `reply`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/batch.h"
#include "core/entity.h"
#include "core/result.h"

namespace warpsight::probe {

enum class FrameType : uint8_t { start = 1, collect, admit, reply };

inline constexpr size_t kMaxFrame = size_t{16} * 1024 * 1024;

// What a child is told before its first run.
struct Start {
  std::string root;
  std::string state_dir;
  std::string simulate;
  std::vector<std::string> skip_devices;
  std::vector<std::string> only_devices;
  std::vector<std::pair<std::string, std::string>> options;  // as a user would write them
};

void append_frame(FrameType type, std::string_view payload, std::string& out);

std::string encode_start(const Start& start);
Result<Start> decode_start(std::string_view payload);

struct Frame {
  FrameType type{};
  std::string_view payload;  // into the reader's buffer
};

// Cuts a byte stream into frames.
class FrameReader {
 public:
  // Where the next bytes go: at least `want` of them fit.
  char* room(size_t want);
  void filled(size_t bytes) { end_ += bytes; }

  // True with the next whole frame in `frame`, valid until the next call of room(); false when more
  // bytes are needed; an error on a length that cannot be.
  Result<bool> next(Frame& frame);

 private:
  std::string buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

// Child's side: a batch and how the run ended, with each entity spelled out the first time.
class BatchEncoder {
 public:
  explicit BatchEncoder(EntityTable& entities) : entities_(entities) {}

  // Appends a reply frame. Entities in batch.gone are removed from the table.
  void encode(const Batch& batch, const Result<>& outcome, std::string& out);

 private:
  void introduce(EntityId id, std::string& out);

  EntityTable& entities_;
  std::vector<uint32_t> introduced_;  // by slot: the id the peer knows
  uint32_t introductions_ = 0;
};

// Parent's side: the same entities in the agent's own table.
class BatchDecoder {
 public:
  explicit BatchDecoder(EntityTable& entities) : entities_(entities) {}

  // Appends to `out`. The outer result fails on bytes no child of ours would send; the inner one
  // is how the child's run ended.
  Result<Result<>> decode(std::string_view payload, Batch& out);

  // The agent's ids of everything this child has spoken of and not ended.
  std::vector<EntityId> known() const;

 private:
  struct Mapping {
    uint32_t theirs = 0;
    EntityId ours;
  };
  EntityId translate(uint32_t theirs) const;

  EntityTable& entities_;
  std::vector<Mapping> map_;  // by their slot
};

}  // namespace warpsight::probe
