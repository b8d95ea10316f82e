#include "runtime/probe_channel.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

namespace warpsight::probe {
namespace {

constexpr Duration kSendPatience = std::chrono::milliseconds{100};
constexpr size_t kReadSize = size_t{64} * 1024;

CallTrace* map_shared(int fd) {
  void* memory = mmap(nullptr, sizeof(CallTrace), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<CallTrace*>(memory);
}

}  // namespace

CallTrace* map_trace(int fd) {
  if (CallTrace* shared = map_shared(fd)) return shared;
  static CallTrace own;
  return &own;
}

Result<std::unique_ptr<Channel>> Channel::open(const Launch& launch, EntityTable& entities) {
  const Fd memory(memfd_create("warpsight-call-trace", MFD_CLOEXEC));
  if (!memory || ftruncate(memory.get(), sizeof(CallTrace)) != 0) {
    return fail_errno("cannot make shared memory for a probe", errno);
  }
  CallTrace* mapping = map_shared(memory.get());
  if (mapping == nullptr) return fail_errno("cannot map shared memory for a probe", errno);
  auto* trace = new (mapping) CallTrace;

  auto sockets = make_socket_pair(SOCK_STREAM);
  if (!sockets) return tl::unexpected(sockets.error());
  ChildSpec spec;
  spec.argv = launch.argv;
  spec.environment = launch.environment;
  spec.fds = {{sockets->second.get(), kSocketFd}, {memory.get(), kTraceFd}};
  auto child = Child::spawn(spec);
  if (!child) return tl::unexpected(child.error());
  if (auto ok = set_nonblocking(sockets->first.get(), true); !ok) return tl::unexpected(ok.error());

  std::unique_ptr<Channel> channel(
      new Channel(std::move(*child), std::move(sockets->first), trace, entities));
  if (auto sent = channel->send(FrameType::start, encode_start(launch.start)); !sent) {
    return tl::unexpected(sent.error());
  }
  return channel;
}

Channel::~Channel() { munmap(trace_, sizeof(CallTrace)); }

Result<> Channel::send(FrameType type, std::string_view payload) {
  out_.clear();
  append_frame(type, payload, out_);
  return write_all(socket_.get(), out_, kSendPatience);
}

Result<> Channel::request(SteadyTime now, SteadyTime deadline) {
  waiting_ = true;
  requested_at_ = now;
  deadline_ = deadline;
  return send(FrameType::collect, {});
}

Result<> Channel::admit(std::string_view device) { return send(FrameType::admit, device); }

Result<bool> Channel::receive(Batch& out, Result<>& outcome) {
  for (;;) {
    Frame frame;
    auto whole = reader_.next(frame);
    if (!whole) return whole;
    if (*whole) {
      if (frame.type != FrameType::reply) return fail("probe sent an unexpected frame");
      waiting_ = false;
      ++replies_;
      auto decoded = decoder_.decode(frame.payload, out);
      if (!decoded) return tl::unexpected(decoded.error());
      outcome = std::move(*decoded);
      return true;
    }
    const ssize_t got = recv(socket_.get(), reader_.room(kReadSize), kReadSize, 0);
    if (got > 0) {
      reader_.filled(static_cast<size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return false;
    } else {
      return fail("probe ended");
    }
  }
}

Child Channel::kill() {
  child_.kill();
  return std::move(child_);
}

}  // namespace warpsight::probe
