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
              "How often values go to every sink and the page.", "100ms..10m"},
    OptionDef{"listen", OptionType::text, "127.0.0.1:9465",
              "Where the page, `/metrics` and the health checks are served: `HOST:PORT`, "
              "`[IPV6]:PORT` or `unix:/path`. Empty: nothing is served.",
              "", check_address},
    OptionDef{"listen_tls.certificate", OptionType::text, "",
              "PEM file of the certificate, with its chain, to serve HTTPS by. Read again when it "
              "changes. Empty: plain HTTP.",
              "", check_absolute},
    OptionDef{"listen_tls.key", OptionType::text, "", "PEM file of that certificate's key.", "",
              check_absolute},
    OptionDef{"listen_tls.client_ca", OptionType::text, "",
              "PEM file of authorities; clients, those of health checks too, must then show a "
              "certificate that one of them signed.",
              "", check_absolute},
    OptionDef{"listen_auth.bearer", OptionType::secret, "",
              "Token that every request but `/healthz` and `/readyz` must carry."},
    OptionDef{"listen_auth.username", OptionType::text, "",
              "User name that those requests must carry; with a token set, either will do."},
    OptionDef{"listen_auth.password", OptionType::secret, "", "Password of that user."},
    OptionDef{
        "listen_open", OptionType::boolean, "false",
        "Serve a page that others on the network can reach without asking them for a token, a "
        "password or a certificate. Without it the agent does not start that way."},
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
    OptionDef{"namespaces", OptionType::list, "",
              "Metrics to give under OpenTelemetry's names too: `hw` are its hardware conventions, "
              "`gen_ai` those of serving engines. Takes a restart.",
              "hw|gen_ai"},
    OptionDef{"owner_labels", OptionType::choice, "gauges",
              "Where a GPU's owner (pod, Slurm job, container, process) stands. `gauges`: on "
              "`gpu.owner*`, and on the GPU's gauges while it has exactly one owner. `all`: on its "
              "counters too, which then change their labels with the owner. `info`: on "
              "`gpu.owner*` alone.",
              "gauges|all|info"},
    OptionDef{"tenant", OptionType::list, "",
              "Attributes of an owner, in order; the first that it has becomes its `tenant`: "
              "`[k8s.pod.label.team, k8s.namespace.name, slurm.account, process.owner]`."},
    OptionDef{"history.enabled", OptionType::boolean, "true",
              "Keep every series and event on this node, below `state_dir`: docs/history.md."},
    OptionDef{"history.max_size", OptionType::size, "200MiB",
              "The most the history may take on disk; the oldest goes first.", "8MiB..1TiB"},
    OptionDef{"history.full_for", OptionType::duration, "24h",
              "How long every published value is kept.", "1h..90d"},
    OptionDef{"history.kept_for", OptionType::duration, "30d",
              "How long the least, mean, greatest and last value of every five minutes is kept.",
              "1h..366d"},
    OptionDef{"history.flush_interval", OptionType::duration, "30s",
              "The most that is lost when the agent is killed.", "1s..10m"},
    OptionDef{"alerts.enabled", OptionType::boolean, "true",
              "Evaluate alert rules: docs/alerts.md."},
    OptionDef{"alerts.rules", OptionType::list, "",
              "Files with further rules; one of a shipped rule's name takes its place.", "",
              check_absolute},
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
              "Recent events that are kept in memory, for the page and `/api/v1/status`.",
              "1..10000"},
};

}  // namespace

std::span<const OptionDef> agent_options() { return kOptions; }

}  // namespace warpsight
