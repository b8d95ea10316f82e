#include "platform/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "platform/child_environment.h"

namespace warpsight {
namespace {

// Above any number a child is handed, so that moving descriptors cannot overwrite one another.
constexpr int kScratchFd = 100;
constexpr Duration kReapPatience = std::chrono::milliseconds{200};

struct Abandoned {
  std::mutex mutex;
  std::vector<pid_t> pids;
};

Abandoned& abandoned() {
  static Abandoned instance;
  return instance;
}

// The descriptors as the child side uses them, prepared before the fork: only async-signal-safe
// calls are allowed between fork and exec.
struct Launch {
  const char* program;
  char* const* argv;
  char* const* envp;
  std::vector<ChildSpec::PassedFd> fds;
  int report;
  pid_t parent;
};

void close_everything_on_exec() {
#ifdef SYS_close_range
  constexpr unsigned kCloexec = 1U << 2;  // CLOSE_RANGE_CLOEXEC
  if (::syscall(SYS_close_range, 3U, UINT_MAX, kCloexec) == 0) return;
#endif
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const int last = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 65536));
  for (int fd = 3; fd < last; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// The signals' defaults: handlers vanish at exec, but ignored signals and the mask would stay.
void reset_signals() {
  for (int signal = 1; signal < 32; ++signal) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

bool place_descriptors(Launch& launch) {
  close_everything_on_exec();
  launch.report = ::fcntl(launch.report, F_DUPFD_CLOEXEC, kScratchFd);
  if (launch.report < 0) return false;
  for (auto& fd : launch.fds) {
    fd.parent = ::fcntl(fd.parent, F_DUPFD_CLOEXEC, kScratchFd);
    if (fd.parent < 0) return false;
  }
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || ::dup2(null, 0) < 0 || ::dup2(null, 1) < 0) return false;
  return std::ranges::all_of(launch.fds,
                             [](const auto& fd) { return ::dup2(fd.parent, fd.child) >= 0; });
}

[[noreturn]] void become(Launch& launch) {
  const int report = launch.report;
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before the line above.
  if (::getppid() != launch.parent) ::_exit(127);
  reset_signals();
  if (place_descriptors(launch)) ::execve(launch.program, launch.argv, launch.envp);
  const int error = errno;
  const int channel = launch.report >= 0 ? launch.report : report;
  [[maybe_unused]] const ssize_t n = ::write(channel, &error, sizeof error);
  ::_exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (auto& string : strings) out.push_back(string.data());
  out.push_back(nullptr);
  return out;
}

// Forks with every signal blocked, so that no handler of the parent runs in the child.
pid_t fork_quietly(Launch& launch) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) become(launch);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

ExitStatus to_status(int raw) {
  if (WIFSIGNALED(raw)) return {.code = 0, .signal = WTERMSIG(raw)};
  return {.code = WEXITSTATUS(raw), .signal = 0};
}

int open_pidfd(pid_t pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U));
#else
  return -1;
#endif
}

// 0 when exec worked, else its errno.
int exec_error(int report) {
  int error = 0;
  ssize_t n = 0;
  do {
    n = ::read(report, &error, sizeof error);
  } while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(sizeof error) ? error : 0;
}

}  // namespace

std::string ExitStatus::describe() const {
  if (signal == 0) return fmt::format("exited with {}", code);
  const char* name = ::sigdescr_np(signal);
  return fmt::format("killed by signal {} ({})", signal, name != nullptr ? name : "unknown");
}

Result<Child> Child::spawn(const ChildSpec& spec) {
  if (spec.argv.empty()) return fail("cannot start a program without a name");
  auto program = find_program(spec.argv.front());
  if (!program) return tl::unexpected(std::move(program.error()));
  auto report = make_pipe();
  if (!report) return tl::unexpected(std::move(report.error()));

  std::vector<std::string> arguments = spec.argv;
  std::vector<std::string> environment =
      child_environment(spec.environment, spec.inherit_environment);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  Launch launch{.program = program->c_str(),
                .argv = argv.data(),
                .envp = envp.data(),
                .fds = spec.fds,
                .report = report->second.get(),
                .parent = ::getpid()};
  Child child;
  child.pid_ = fork_quietly(launch);
  if (child.pid_ < 0) {
    child.pid_ = 0;
    return fail_errno("cannot start " + *program, errno);
  }
  ::setpgid(child.pid_, child.pid_);  // also here: kill() may come before the child's own call
  child.pidfd_.reset(open_pidfd(child.pid_));
  report->second.reset();
  if (const int error = exec_error(report->first.get()); error != 0) {
    return fail_errno("cannot start " + *program, error);
  }
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      pidfd_(std::move(other.pidfd_)),
      status_(std::exchange(other.status_, std::nullopt)) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    abandon();
    pid_ = std::exchange(other.pid_, 0);
    pidfd_ = std::move(other.pidfd_);
    status_ = std::exchange(other.status_, std::nullopt);
  }
  return *this;
}

Child::~Child() { abandon(); }

std::optional<ExitStatus> Child::poll() {
  if (pid_ <= 0) return status_;
  siginfo_t info{};
  const int looked = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (looked == 0 && info.si_pid == 0) return std::nullopt;
  // While the dead leader still holds the group's number, take what it left behind with it.
  ::kill(-pid_, SIGKILL);
  int raw = 0;
  const bool reaped = ::waitpid(pid_, &raw, WNOHANG) == pid_;
  status_ = reaped ? to_status(raw) : ExitStatus{.code = -1, .signal = 0};
  pid_ = 0;
  pidfd_.reset();
  return status_;
}

std::optional<ExitStatus> Child::wait(Duration timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    if (auto status = poll()) return status;
    if (pid_ <= 0) return std::nullopt;
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= Duration::zero()) return std::nullopt;
    if (pidfd_) {
      wait_readable(pidfd_.get(), left);
    } else {
      // Kernels before 5.3 have nothing to wait on.
      std::this_thread::sleep_for(std::min<Duration>(left, std::chrono::milliseconds{5}));
    }
  }
}

void Child::kill(int signal) {
  if (pid_ > 0) ::kill(-pid_, signal);
}

std::optional<ExitStatus> Child::stop(Duration grace) {
  kill(SIGTERM);
  if (auto status = wait(grace)) return status;
  kill(SIGKILL);
  return wait(grace);
}

void Child::abandon() {
  if (pid_ <= 0) return;
  kill(SIGKILL);
  if (wait(kReapPatience)) return;
  auto& left = abandoned();
  const std::lock_guard lock(left.mutex);
  left.pids.push_back(std::exchange(pid_, 0));
  pidfd_.reset();
}

std::size_t reap_abandoned_children() {
  auto& left = abandoned();
  const std::lock_guard lock(left.mutex);
  std::erase_if(left.pids, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
  return left.pids.size();
}

}  // namespace warpsight
