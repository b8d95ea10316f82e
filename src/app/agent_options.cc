#include "app/agent_options.h"

#include <array>
#include <string_view>

#include "platform/sockets.h"

namespace warpsight {
namespace {

Result<> check_address(std::string_view text) {
  auto address = parse_address(text);
  if (!address) return tl::unexpected(std::move(address.error()));
  return {};
}

Result<> check_absolute(std::string_view text) {
  if (text.starts_with('/')) return {};
  return fail("expected an absolute path", "begin it with /");
}

constexpr std::array kOptions = {
    OptionDef{"publish_interval", OptionType::duration, "10s",
              "How often values go to every sink and the page.", "1s..10m"},
    OptionDef{"listen", OptionType::text, "127.0.0.1:9465",
              "Where `/metrics`, the status page and the health checks are served: `HOST:PORT`, "
              "`[IPV6]:PORT` or `unix:/path`. Empty: nothing is served.",
              "", check_address},
    OptionDef{"state_dir", OptionType::text, "/var/lib/warpsight",
              "Where the agent keeps what must outlive a restart.", "", check_absolute},
    OptionDef{"host_name", OptionType::text, "",
              "The node's name in every output. Empty: the system's host name."},
    OptionDef{"root", OptionType::text, "/",
              "Where `/proc`, `/sys` and `/dev` are looked up; `/host` in a container that mounts "
              "the host's there.",
              "", check_absolute},
    OptionDef{"attributes", OptionType::map, "",
              "Extra attributes, stated once in every output's resource."},
    OptionDef{"shutdown_timeout", OptionType::duration, "5s",
              "The longest a stop may take, sinks' last flush included.", "1s..1m"},
    OptionDef{"log.level", OptionType::choice, "info", "The least severe line that is logged.",
              "error|warn|info|debug"},
    OptionDef{"log.format", OptionType::choice, "text",
              "Lines for people, or JSON lines for machines.", "text|json"},
    OptionDef{"limits.series_per_source", OptionType::integer, "20000",
              "Series that one source may have; further ones are dropped and counted.",
              "100..1000000"},
    OptionDef{"limits.events", OptionType::integer, "256",
              "Recent events that are kept for the status page.", "1..10000"},
};

}  // namespace

std::span<const OptionDef> agent_options() { return kOptions; }

}  // namespace warpsight
