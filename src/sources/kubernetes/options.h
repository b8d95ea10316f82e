// The keys of the source `kubernetes`.
#pragma once

#include <array>

#include "runtime/options.h"
#include "sources/kubernetes/pod_resources/client.h"
#include "sources/kubernetes/settings.h"

namespace warpsight::kubernetes {

inline constexpr std::array kOptions = {
    OptionDef{
        "enabled", OptionType::boolean, "true",
        "Whether to ask the kubelet which pods hold which GPUs. Without a kubelet's socket on "
        "this node nothing is asked."},
    OptionDef{"period", OptionType::duration, "1s",
              "How often to look for changes of pods and GPU processes.", "1s..1m"},
    OptionDef{"pod_resources", OptionType::text, kPodResourcesSocket,
              "Socket of the kubelet's pod-resources API.", "", check_socket_address},
    OptionDef{"poll", OptionType::duration, "10s",
              "Time between questions to the kubelet when nothing hints at a change.", "1s..10m"},
    OptionDef{"timeout", OptionType::duration, "2s", "How long an answer may take.", "100ms..30s"},
    OptionDef{"node_name", OptionType::text, "",
              "Name of this node in the cluster. Empty: `K8S_NODE_NAME` or `NODE_NAME` in the "
              "environment, else the host's name."},
    OptionDef{"metadata", OptionType::choice, "auto",
              "Where labels, workloads and ids of pods come from: the API server (`api`), the "
              "kubelet (`kubelet`), the one of them that answers (`auto`), or nowhere (`none`).",
              "auto|api|kubelet|none"},
    OptionDef{"api", OptionType::text, "",
              "URL of the API server. Empty: as the pod's environment says."},
    OptionDef{"token_file", OptionType::text, "",
              "File with the token for both. Empty: the pod's service account."},
    OptionDef{"ca_file", OptionType::text, "",
              "Authority of the API server's certificate. Empty: the pod's service account."},
    OptionDef{"kubelet", OptionType::text, "",
              "URL of this node's kubelet. Empty: port 10250 of this node."},
    OptionDef{"kubelet_ca_file", OptionType::text, "",
              "Authority of the kubelet's certificate. Empty: that of the API server."},
    OptionDef{
        "pod_labels", OptionType::list, "",
        "Labels of pods to put on metrics, as `k8s.pod.label.NAME`; `*`: all. Rules of tenants "
        "see all of them either way."},
    OptionDef{"resources", OptionType::map, "",
              "Names of resources besides the vendors' own, and whose GPUs they stand for "
              "(`example.com/h100: nvidia`). Vendors: `nvidia`, `amd`, `intel`, `habana`."},
};

}  // namespace warpsight::kubernetes
