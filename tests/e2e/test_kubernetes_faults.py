"""What owners survive: a kubelet or an API server that hangs, refuses, restarts or talks nonsense."""
import json

import pytest

from conftest import wait_for
from kubelet import PodResources
from kubernetes_agent import (GPU, assert_telemetry_flows, certificates, cluster, node, owners, pods, source, uids,
                              wait_pods, wait_uid, watch, worn)
from kubernetes_pods import GPU_RESOURCE, Container, Pod, Reference


def spoil(**state):
    return lambda kubelet: [setattr(kubelet, name, value) for name, value in state.items()]


TROUBLES = {
    "hung": spoil(hung=True),
    "frozen": PodResources.freeze,
    "gone": PodResources.stop,
    "http1": lambda kubelet: kubelet.babble(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"),
    "garbage": spoil(garbage=b"\x0a\xff\xff\xff\xff\x7f"),
    "refused": spoil(error=("RESOURCE_EXHAUSTED", "rejected by rate limit")),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_kubelet_in_trouble_costs_nothing_but_owners(node, watch, trouble):
    node.run(Pod("train-0", gpus=[GPU[0]]))
    agent = watch(node)
    wait_pods(agent, gpu_0="train-0")
    TROUBLES[trouble](node.resources)
    error = wait_for("the error, with a hint", lambda: (
        lambda text: text if "; " in text else None)(source(agent)["last_error"]))
    assert "pod-resources" in error or "kubelet" in error
    assert_telemetry_flows(agent)
    assert agent.page().value("warpsight_source_up", source="kubernetes") == 0
    node.run(Pod("train-1", gpus=[GPU[1]]))
    spoil(hung=False, garbage=None, error=None)(node.resources)
    node.resources.restart()
    wait_pods(agent, gpu_0="train-0", gpu_1="train-1")
    wait_for("it to be well again", lambda: source(agent)["up"] and not source(agent)["last_error"])


def test_a_kubelet_may_restart_or_come_later(node, watch):
    node.resources.stop()
    pod = Pod("train-0", gpus=[GPU[0]])
    node.run(pod)
    agent = watch(node)
    wait_for("its absence to be told", lambda: source(agent)["last_error"])
    node.resources.start()
    wait_pods(agent, gpu_0="train-0")
    node.resources.restart()
    node.delete(pod)
    node.run(Pod("train-1", gpus=[GPU[0]]))
    page = wait_pods(agent, gpu_0="train-1")
    assert worn(page, GPU[0])["k8s_pod_name"] == "train-1"


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_an_ended_pod_has_no_gpu_though_it_is_listed(node, watch, phase):
    first, second = Pod("job-1", gpus=[GPU[0]]), Pod("job-2", gpus=[GPU[1]])
    node.run(first, second)
    agent = watch(node)
    wait_pods(agent, gpu_0="job-1", gpu_1="job-2")
    node.finish(first, phase)
    node.finish(second, phase)
    node.run(Pod("job-3", gpus=[GPU[0]]))
    page = wait_pods(agent, gpu_0="job-3", gpu_1=None)
    assert worn(page, GPU[0])["k8s_pod_name"] == "job-3"
    assert worn(page, GPU[1]) == {}


def test_without_the_api_the_kubelet_is_asked(node, watch):
    node.api.forbidden.add("pods")
    pod = Pod("train-0", gpus=[GPU[0]], labels={"team": "ml"})
    node.run(pod)
    agent = watch(node)
    page = wait_uid(agent, GPU[0], pod)
    assert owners(page, GPU[0])[0]["tenant"] == "ml"
    assert 403 in node.api.statuses("/api/v1/pods") and 200 in node.kubelet.statuses("/pods")
    node.delete(pod)
    again = pod.again()
    node.run(again)
    wait_uid(agent, GPU[0], again)


def test_without_any_metadata_names_remain(node, watch):
    node.api.forbidden.add("pods")
    node.kubelet.forbidden = True
    node.run(Pod("train-0", Container("worker", [(GPU_RESOURCE, [GPU[0]])]), labels={"team": "ml"}))
    agent = watch(node)
    page = wait_pods(agent, gpu_0="train-0")
    (owner,) = owners(page, GPU[0])
    names = {"k8s_namespace_name": "default", "k8s_container_name": "worker", "tenant": "default"}
    assert names.items() <= owner.items()
    assert "k8s_pod_uid" not in owner
    assert worn(page, GPU[0])["k8s_pod_name"] == "train-0"
    wait_for("both refusals", lambda: 403 in node.api.statuses() and 403 in node.kubelet.statuses())
    wait_for("word of it", lambda: "forbidden" in json.dumps(agent.status()).lower()
             or "forbidden" in agent.logged().lower())


def test_an_owner_that_may_not_be_asked_for_is_left_out(node, watch):
    node.api.forbidden |= {"replicasets", "jobs"}
    pod = Pod("web-7d9f8c6b5d-x2x4z", gpus=[GPU[0]], owner=Reference("ReplicaSet", "web-7d9f8c6b5d"))
    node.run(pod)
    page = wait_uid(watch(node), GPU[0], pod)
    assert owners(page, GPU[0])[0]["k8s_replicaset_name"] == "web-7d9f8c6b5d"


def test_a_token_is_read_again(node, watch):
    first, second = Pod("train-0", gpus=[GPU[0]]), Pod("train-1", gpus=[GPU[1]])
    node.run(first)
    agent = watch(node)
    wait_uid(agent, GPU[0], first)
    node.api.tokens = node.kubelet.tokens = {"token-2"}
    node.api.drop_watches()
    wait_for("the old one to be refused", lambda: 401 in node.api.statuses("/api/v1/pods"))
    node.set_token("token-2")
    node.run(second)
    page = wait_uid(agent, GPU[1], second)
    assert uids(page, GPU[0]) == [first.uid]
    told = agent.logged() + json.dumps(agent.status()) + page.text
    assert "token-1" not in told and "token-2" not in told


@pytest.mark.parametrize("gone_by", ["http", "event"])
def test_a_version_that_was_forgotten_is_no_loss(node, watch, gone_by):
    old = Pod("train-0", gpus=[GPU[0]], labels={"team": "a"})
    node.run(old)
    agent = watch(node)
    wait_uid(agent, GPU[0], old)
    wait_for("a watch", node.api.watches)
    new = old.again()
    new.labels = {"team": "b"}
    with node.api.forgetting(gone_by):
        node.delete(old)
        node.run(new)
    page = wait_uid(agent, GPU[0], new)
    assert owners(page, GPU[0])[0]["k8s_pod_label_team"] == "b"
    later = Pod("train-1", gpus=[GPU[1]])
    node.run(later)
    wait_uid(agent, GPU[1], later)


API_TROUBLES = {
    "watch_ends": lambda api: api.drop_watches(),
    "watch_torn": lambda api: api.drop_watches(torn=True),
    "restart": lambda api: api.restart(),
    "away": lambda api: api.stop(),
    "hung": lambda api: (setattr(api, "hung", True), api.drop_watches()),
}


@pytest.mark.parametrize("trouble", API_TROUBLES)
def test_an_api_server_in_trouble_is_followed_again(node, watch, trouble):
    first, second = Pod("train-0", gpus=[GPU[0]]), Pod("train-1", gpus=[GPU[1]], labels={"team": "ml"})
    node.run(first)
    agent = watch(node)
    wait_uid(agent, GPU[0], first)
    node.kubelet.forbidden = True
    API_TROUBLES[trouble](node.api)
    node.run(second)
    if trouble in ("away", "hung"):
        assert_telemetry_flows(agent)
        assert pods(agent.page(), GPU[0]) == ["train-0"]
    node.api.hung = False
    if trouble == "away":
        node.api.start()
    page = wait_uid(agent, GPU[1], second)
    assert worn(page, GPU[1])["k8s_pod_label_team"] == "ml"
    assert uids(page, GPU[0]) == [first.uid]


def test_long_lists_come_in_pages(node, watch):
    node.api.page_size = 3
    for number in range(10):
        node.api.put("pods", Pod(f"filler-{number}").json())
    pod = Pod("train-0", gpus=[GPU[0]])
    node.run(pod)
    agent = watch(node)
    wait_uid(agent, GPU[0], pod)
    assert sum("continue" in query for path, query, _ in node.api.asked if path == "/api/v1/pods") >= 3
