#include "sinks/file/file_sink.h"

#include <string>

#include "sinks/file/line_file.h"
#include "sinks/json_lines.h"

namespace warpsight {
namespace {

constexpr OptionDef kOptions[] = {
    {"enabled", OptionType::boolean, "false", "Write every publish to a file."},
    {"path", OptionType::text, "/var/log/warpsight/metrics.jsonl",
     "The file. Its directory is made; a file moved away by logrotate is opened anew."},
    {"rotate_size", OptionType::size, "64MiB",
     "Rotate before the file grows beyond this; 0: never."},
    {"rotate_age", OptionType::duration, "24h", "Rotate a file older than this; 0: never."},
    {"keep", OptionType::integer, "5", "Rotated files to keep, as `path.1` (newest) and on.",
     "0..1000"},
    {"fsync", OptionType::choice, "never",
     "When to wait for the disk: `never`, each `fsync_interval`, or `always`.",
     "never|interval|always"},
    {"fsync_interval", OptionType::duration, "30s", "With `fsync: interval`.", "1s..1h"},
    {"aliases", OptionType::boolean, "false", "Also write the alias names of the catalogue."},
};

class FileSink final : public Sink {
 public:
  FileSink(const SinkContext& context, LineFileConfig config)
      : path_(config.path),
        lines_(context.entities, context.brief_resource, context.options.flag("aliases")),
        file_(std::move(config), context.clock) {}

  void encode(const Snapshot& snapshot, Outbox& out) override {
    Message& message = out.add();
    message.points = static_cast<uint32_t>(snapshot.samples.size());
    lines_.append(snapshot, message.bytes);
  }

  Delivery deliver(const Message& message) override {
    return Delivery::of(file_.append(message.bytes), "write");
  }

  std::string peer() const override { return path_; }

 private:
  const std::string path_;
  JsonLines lines_;
  LineFile file_;
};

}  // namespace

std::span<const OptionDef> file_sink_options() { return kOptions; }

Result<std::unique_ptr<Sink>> make_file_sink(const SinkContext& context) {
  const Options& options = context.options;
  LineFileConfig config{.path = options.text("path"),
                        .rotate_size = options.size("rotate_size"),
                        .rotate_age = options.duration("rotate_age"),
                        .keep = options.integer("keep"),
                        .sync = sync_policy(options.text("fsync")),
                        .sync_interval = options.duration("fsync_interval")};
  if (config.path.empty()) return fail("the file sink has no path", "set path, or enabled: false");
  return std::make_unique<FileSink>(context, std::move(config));
}

}  // namespace warpsight
