#include "sources/slurm/rest_query.h"

#include <fmt/format.h>

#include "net/foreign_text.h"
#include "net/http_client.h"
#include "platform/sockets.h"
#include "sources/slurm/job_json.h"

namespace warpsight::slurm {
namespace {

constexpr int kNewestVersion = 45;
constexpr int kOldestVersion = 36;
constexpr size_t kAnswerLimit = size_t{64} << 20;
constexpr size_t kQuoted = 200;
constexpr int kOk = 200;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr std::string_view kUnknownJob = "Invalid job id";

constexpr std::string_view kPlain = "http://";

// Whether what is sent there can be read on its way by others than this machine.
bool is_overheard(std::string_view address) {
  if (!address.starts_with(kPlain)) return false;
  address.remove_prefix(kPlain.size());
  std::string host(address.substr(0, address.find_first_of("/?#")));
  const bool has_port = host.rfind(':') != std::string::npos && !host.ends_with(']');
  if (!has_port) host += ":80";
  const auto peer = parse_address(host);
  return !peer || !is_loopback(*peer);
}

class RestQuery final : public JobQuery {
 public:
  RestQuery(RestSettings settings, std::string node)
      : settings_(std::move(settings)), node_(std::move(node)) {
    while (settings_.address.ends_with('/')) settings_.address.pop_back();
  }

  std::string_view evidence() const override { return "slurmrestd"; }
  std::string question(uint64_t job) const override {
    return fmt::format("GET {}/job/{} at {}", folder(version_), job, settings_.address);
  }
  size_t at_once() const override { return 1; }

  Result<std::vector<Job>> look_up(std::span<const uint64_t> jobs) override {
    std::vector<Job> found;
    for (const uint64_t job : jobs) {
      const auto body = get(fmt::format("/job/{}", job));
      if (!body) return tl::unexpected(body.error());
      auto told = parse(*body);
      if (!told) return told;
      for (Job& each : *told) {
        if (each.id == job) found.push_back(std::move(each));
      }
    }
    return found;
  }

  Result<std::vector<JobRun>> list() override {
    const auto body = get("/jobs");
    if (!body) return tl::unexpected(body.error());
    const auto jobs = parse(*body);
    if (!jobs) return tl::unexpected(jobs.error());
    return runs_of(*jobs);
  }

 private:
  static std::string folder(int version) {
    return version == 0 ? "/slurm" : fmt::format("/slurm/v0.0.{}", version);
  }

  std::string url(std::string_view path) const {
    const bool socket = settings_.address.starts_with("unix:");
    return fmt::format("{}{}{}", settings_.address, socket ? ":" : "", path);
  }

  Result<HttpReply> fetch(const std::string& path) {
    if (!client_) {
      auto made = HttpClient::make({.timeout = settings_.timeout, .response_limit = kAnswerLimit});
      if (!made) return fail(made.error().message, made.error().hint);
      client_ = std::move(*made);
    }
    HttpHeaders headers = {{"Accept", "application/json"}};
    if (!settings_.token.empty()) headers.emplace_back("X-SLURM-USER-TOKEN", settings_.token);
    auto reply = client_->get(url(path), headers);
    if (!reply) {
      const std::string& hint = reply.error().hint;
      return fail(
          fmt::format("slurmrestd at {}: {}", settings_.address, reply.error().message),
          hint.empty() ? "see whether slurmrestd runs, and sources.slurm.slurmrestd" : hint);
    }
    if (reply->status == kUnauthorized || reply->status == kForbidden) {
      return fail(fmt::format("slurmrestd at {} does not accept the agent", settings_.address),
                  "set sources.slurm.slurmrestd_token (scontrol token)");
    }
    return std::move(*reply);
  }

  Result<> find_version() {
    for (int version = kNewestVersion; version >= kOldestVersion; --version) {
      const auto reply = fetch(folder(version) + "/ping");
      if (!reply) return tl::unexpected(reply.error());
      if (reply->status != kOk) continue;
      version_ = version;
      return {};
    }
    return fail(fmt::format("slurmrestd at {} speaks no version of the API from v0.0.{} to "
                            "v0.0.{}",
                            settings_.address, kOldestVersion, kNewestVersion),
                "set sources.slurm.query to scontrol");
  }

  // An empty body for a job that Slurm does not know.
  Result<std::string> get(const std::string& path) {
    if (version_ == 0) {
      if (auto found = find_version(); !found) return tl::unexpected(found.error());
    }
    auto reply = fetch(folder(version_) + path);
    if (!reply) return tl::unexpected(reply.error());
    if (reply->body.find(kUnknownJob) != std::string::npos && reply->status != kOk) {
      return std::string();
    }
    if (reply->status == kNotFound) version_ = 0;  // another slurmrestd may have taken its place
    if (reply->status != kOk) {
      return fail(fmt::format("slurmrestd answers {} with {}: {}", path, reply->status,
                              printable_beginning(reply->body, kQuoted)),
                  "see slurmrestd's log");
    }
    return std::move(reply->body);
  }

  Result<std::vector<Job>> parse(std::string_view body) {
    if (body.empty()) return std::vector<Job>();
    auto jobs = parse_job_json(parser_, body, node_);
    if (jobs || jobs.error().message.starts_with(kUnknownJob)) {
      return jobs ? std::move(*jobs) : std::vector<Job>();
    }
    return fail("slurmrestd: " + jobs.error().message, "see slurmrestd's log");
  }

  RestSettings settings_;
  std::string node_;
  int version_ = 0;  // 0: not known yet
  std::unique_ptr<HttpClient> client_;
  JsonText parser_;
};

}  // namespace

Result<> check_rest_address(std::string_view address) {
  const bool known = address.starts_with("unix:/") || address.starts_with(kPlain) ||
                     address.starts_with("https://");
  if (known) return {};
  return fail("'" + std::string(address) + "' is no address of slurmrestd",
              "write unix:/path/of.socket or http(s)://host:port");
}

Result<std::unique_ptr<JobQuery>> make_rest_query(RestSettings settings, std::string node) {
  if (!settings.token.empty() && is_overheard(settings.address)) {
    return fail("slurm: slurmrestd_token would cross the network in clear text",
                "set sources.slurm.slurmrestd to an https:// address, a unix socket or localhost");
  }
  return std::make_unique<RestQuery>(std::move(settings), std::move(node));
}

}  // namespace warpsight::slurm
