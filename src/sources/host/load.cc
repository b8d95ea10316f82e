// Load average and uptime: the first number of /proc/loadavg and of /proc/uptime.
#include <array>

#include "sources/host/reader.h"
#include "sources/sysfs/text.h"

namespace warpsight::host {
namespace {

class FirstNumberReader final : public Reader {
 public:
  FirstNumberReader(const HostContext& context, std::string_view file, Metric metric)
      : context_(context), file_(under_root(context.root, file)), metric_{metric} {}

  std::span<const Metric> metrics() const override { return metric_; }

  ReadResult read(Batch& out) override {
    const auto text = file_.read(context_.buffer);
    if (!text) return unreadable(file_);
    std::string_view rest = *text;
    const auto value = to_real(next_word(rest));
    if (!value || *value < 0) return malformed(file_);
    put(out, metric_[0], context_.host, *value);
    return {};
  }

 private:
  const HostContext& context_;
  FileReader file_;
  std::array<Metric, 1> metric_;
};

}  // namespace

std::unique_ptr<Reader> make_load_reader(const HostContext& context) {
  return std::make_unique<FirstNumberReader>(context, "/proc/loadavg",
                                             Metric::system_cpu_load_average_1m);
}

std::unique_ptr<Reader> make_uptime_reader(const HostContext& context) {
  return std::make_unique<FirstNumberReader>(context, "/proc/uptime", Metric::system_uptime);
}

}  // namespace warpsight::host
