#include "runtime/probe_child.h"

#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "platform/fd.h"
#include "runtime/log.h"
#include "runtime/probe_channel.h"
#include "runtime/probe_wire.h"

namespace warpsight::probe {
namespace {

constexpr size_t kReadSize = 4096;
constexpr Duration kWritePatience = std::chrono::seconds{30};

class Server {
 public:
  Server(const SourceDef& def, const Clock& clock, CallTrace& trace)
      : def_(def), clock_(clock), trace_(trace), encoder_(entities_) {}

  Result<> handle(const Frame& frame) {
    switch (frame.type) {
      case FrameType::start: return start(frame.payload);
      case FrameType::collect: return collect();
      case FrameType::admit: admit(frame.payload); return {};
      case FrameType::reply: break;
    }
    return fail("unexpected frame");
  }

 private:
  Result<> start(std::string_view payload) {
    auto start = decode_start(payload);
    if (!start) return tl::unexpected(start.error());
    start_ = std::move(*start);
    options_ = Options::defaults(def_.options);
    for (const auto& [name, value] : start_.options) {
      if (auto ok = options_.set(name, value); !ok) return ok;
    }
    return {};
  }

  Result<> collect() {
    const Result<> outcome = run();
    out_.clear();
    encoder_.encode(batch_, outcome, out_);
    batch_.clear();
    return write_all(kSocketFd, out_, kWritePatience);
  }

  // The source is made by the first run, so that a library that hangs when loaded, or one that is
  // not there yet, is met under the agent's deadline and tried again.
  Result<> run() {
    if (!source_) {
      auto made = def_.make({clock_, entities_, options_, trace_, start_.root, start_.state_dir,
                             start_.simulate, start_.skip_devices, start_.only_devices});
      if (!made) return tl::unexpected(made.error());
      source_ = std::move(*made);
    }
    return source_->collect(batch_);
  }

  void admit(std::string_view device) {
    std::erase(start_.skip_devices, device);
    if (source_) source_->admit(device);
  }

  const SourceDef& def_;
  const Clock& clock_;
  CallTrace& trace_;
  EntityTable entities_;
  BatchEncoder encoder_;
  Start start_;
  Options options_;
  std::unique_ptr<Source> source_;
  Batch batch_;
  std::string out_;
};

}  // namespace

int serve(const SourceDef& source, const Clock& clock) {
  Server server(source, clock, *map_trace(kTraceFd));
  FrameReader reader;
  for (;;) {
    Frame frame;
    const auto whole = reader.next(frame);
    if (!whole) return 1;
    if (*whole) {
      if (const auto ok = server.handle(frame); !ok) {
        log_error("probe stops", {{"source", source.name}, {"error", describe(ok.error())}});
        return 1;
      }
      continue;
    }
    const ssize_t got = recv(kSocketFd, reader.room(kReadSize), kReadSize, 0);
    if (got == 0) return 0;
    if (got < 0 && errno != EINTR) return 1;
    if (got > 0) reader.filled(static_cast<size_t>(got));
  }
}

}  // namespace warpsight::probe
