#include "sources/slurm/slurm_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "sources/slurm/diagnose.h"
#include "sources/slurm/gpu_order.h"
#include "sources/slurm/job_query.h"
#include "sources/slurm/job_table.h"
#include "sources/slurm/node_setup.h"
#include "sources/slurm/slurm_options.h"

namespace warpsight::slurm {
namespace {

// Questions of one run; those left come at once after it.
constexpr size_t kMaxQuestions = 8;

// For how long the jobs last listed are told of while they cannot be listed again.
constexpr std::chrono::minutes kBelieved{5};

std::string owner_key(uint64_t job) { return fmt::format("slurm/{}", job); }

class SlurmSource final : public Source {
 public:
  SlurmSource(const SourceContext& context, NodeSetup setup, SlurmCommand command,
              std::unique_ptr<JobQuery> query)
      : clock_(context.clock),
        options_(context.options),
        root_(context.root),
        period_(options_.duration("period")),
        poll_(options_.duration("poll")),
        timeout_(options_.duration("timeout")),
        setup_(std::move(setup)),
        order_(context.root, std::move(command)),
        query_(std::move(query)) {}

  Result<> collect(Batch& out) override {
    out.begin(clock_.now(), period_);
    const SteadyTime now = clock_.steady();
    refresh(now);
    Result<> outcome = observe(now);
    if (auto asked = ask(now); outcome) outcome = std::move(asked);
    publish(out);
    return outcome ? judge() : outcome;
  }

  bool unfinished() const override { return more_; }

  void retire(Batch& out) override { out.ownership = std::make_shared<const Ownership>(); }

 private:
  // Whether all that was asked was also understood.
  Result<> judge() const {
    for (const auto& [id, entry] : table_.jobs()) {
      if (!entry.known) continue;
      if (entry.known->state == "RUNNING" && !entry.known->here) {
        return fail(fmt::format("job {} runs here, but not on {} as Slurm says", id, setup_.node),
                    "set sources.slurm.node_name to the node's NodeName of slurm.conf");
      }
    }
    if (!unknown_gpus_) return {};
    return fail(
        "which GPUs jobs hold cannot be told: " +
            (order_.problem().empty() ? std::string("gres.conf has fewer") : order_.problem()),
        "see what `warpsight doctor` says of slurm");
  }

  void refresh(SteadyTime now) {
    if (now < refresh_at_) return;
    refresh_at_ = now + poll_;
    NodeSetup fresh = find_node_setup(options_, root_);
    // The query asks for the node by the name it was made with.
    if (fresh.node == setup_.node) setup_ = std::move(fresh);
    order_.refresh(setup_, now);
  }

  // Which jobs there are. What was known stays for a while where that cannot be found out.
  Result<> observe(SteadyTime now) {
    if (auto runs = list_job_cgroups(root_, setup_.node)) {
      seen_by_ = "cgroups";
      listed();
      table_.observe(std::move(*runs), now);
      return {};
    }
    seen_by_ = query_ ? std::string(query_->evidence()) : "cgroups, of which there are none";
    if (!query_) {
      table_.observe({}, now);
      return {};
    }
    if (now < list_at_) return list_outcome_;
    if (auto runs = query_->list()) {
      listed();
      list_at_ = now + poll_;
      table_.observe(std::move(*runs), now);
    } else {
      if (list_failures_ == 0) unlisted_since_ = now;
      list_at_ = now + std::min(poll_, retry_after(++list_failures_));
      list_outcome_ = tl::unexpected(runs.error());
      disbelieved_ = now - unlisted_since_ >= kBelieved;
      if (disbelieved_) table_.observe({}, now);
    }
    return list_outcome_;
  }

  void listed() {
    list_failures_ = 0;
    list_outcome_ = {};
    disbelieved_ = false;
  }

  std::string jobs_seen() const {
    if (list_outcome_) return fmt::format("{} jobs", table_.jobs().size());
    std::string words = describe(list_outcome_.error());
    if (disbelieved_) {
      words += fmt::format("; for {} minutes or more, so none of the jobs known before is told",
                           kBelieved.count());
    }
    return words;
  }

  Result<> ask(SteadyTime now) {
    more_ = false;
    if (!query_) return {};
    if (now < ask_again_) return ask_outcome_;
    size_t questions = 0;
    for (;;) {
      const auto jobs = table_.due(now, query_->at_once());
      if (jobs.empty()) break;
      more_ = questions == kMaxQuestions || clock_.steady() - now > timeout_;
      if (more_) break;
      ++questions;
      auto answer = query_->look_up(jobs);
      if (!answer) {
        table_.unanswered(jobs, now);
        ask_again_ = now + retry_after(++ask_failures_);
        ask_outcome_ = tl::unexpected(answer.error());
        return ask_outcome_;
      }
      table_.answered(jobs, std::move(*answer), now);
      ask_failures_ = 0;
    }
    if (questions > 0) ask_outcome_ = {};
    return ask_outcome_;
  }

  void publish(Batch& out) {
    Ownership told;
    unknown_gpus_ = false;
    // Where nobody is asked who holds what, nobody can be said to be where he should not.
    if (query_) {
      told.managed = order_.all();
      told.managed_for = OwnerKind::slurm_job;
    }
    told.lookups.push_back(order_.lookup());
    told.lookups.push_back(
        {fmt::format("jobs of node {}, from {}", setup_.node, seen_by_), jobs_seen()});
    for (const auto& [id, entry] : table_.jobs()) tell(id, entry, told);
    if (told_ && told_->says_as(told) && told_->lookups == told.lookups) return;
    told_ = std::make_shared<const Ownership>(std::move(told));
    out.ownership = told_;
  }

  void tell(uint64_t id, const JobTable::Entry& entry, Ownership& told) {
    Job bare;
    bare.id = id;
    const Job& job = entry.known ? *entry.known : bare;
    told.owners.push_back({.kind = OwnerKind::slurm_job,
                           .key = owner_key(id),
                           .attributes = attributes_of(job, setup_.conf.cluster)});
    if (!query_) return;
    std::vector<std::string> words;
    if (!entry.known) words.emplace_back(entry.told ? "not known to Slurm" : "not answered yet");
    if (!ask_outcome_ && !entry.settled) words.push_back(describe(ask_outcome_.error()));
    if (!job.state.empty()) words.push_back(job.state);
    for (const HeldGpu& gpu : job.gpus) {
      const DeviceName* device = order_.device(gpu.index);
      unknown_gpus_ = unknown_gpus_ || device == nullptr;
      words.push_back(fmt::format("GPU index {}{}{}", gpu.index, gpu.shared ? " (shared)" : "",
                                  device == nullptr ? " of no known device" : ""));
      if (device == nullptr) continue;
      told.holdings.push_back(
          {.owner = owner_key(id), .device = *device, .evidence = std::string(query_->evidence())});
    }
    told.lookups.push_back({query_->question(id), fmt::format("{}", fmt::join(words, ", "))});
  }

  const Clock& clock_;
  const Options& options_;
  std::string root_;
  Duration period_;
  Duration poll_;
  Duration timeout_;
  NodeSetup setup_;
  GpuOrder order_;
  std::unique_ptr<JobQuery> query_;  // null: nobody is asked
  JobTable table_;
  SteadyTime refresh_at_{};
  std::string seen_by_;
  SteadyTime list_at_{};
  int list_failures_ = 0;
  SteadyTime unlisted_since_{};
  bool disbelieved_ = false;  // what was listed is too old to be told
  Result<> list_outcome_;
  SteadyTime ask_again_{};
  int ask_failures_ = 0;
  Result<> ask_outcome_;
  bool more_ = false;
  bool unknown_gpus_ = false;
  std::shared_ptr<const Ownership> told_;
};

Result<std::unique_ptr<Source>> make(const SourceContext& context) {
  NodeSetup setup = find_node_setup(context.options, context.root);
  SlurmCommand command = make_command(context, setup);
  auto query = make_query(context.options, command, setup.node);
  if (!query) return tl::unexpected(query.error());
  return std::make_unique<SlurmSource>(context, std::move(setup), std::move(command),
                                       std::move(*query));
}

}  // namespace

constinit const SourceDef kSlurmSource = {
    .name = "slurm",
    .summary = "Slurm jobs on this node, and the GPUs they hold",
    .isolation = Isolation::thread,
    .vendor = {},
    .options = kSlurmOptions,
    .make = make,
    .diagnose = diagnose,
    .present = is_node,
};

}  // namespace warpsight::slurm
