"""A real Kubernetes of one node: etcd, API server, containerd and kubelet, and a fake device plugin.

For namespaces of its own (see kubernetes_apart): it takes the machine's usual places and ports.
"""
import base64
import contextlib
import hashlib
import io
import json
import os
import secrets
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path

from kubernetes_api import Client, PodResources, Refused
from peers import Certificates, wait_for

NODE = "gpu-node-a"
ADDRESS = "10.99.0.1"  # the node's; the kubelet does not take a loopback one
IMAGE = "docker.io/warpsight/fake:1"
KUBELET = Path("/var/lib/kubelet")
CONTAINERD = Path("/run/containerd/containerd.sock")
ETCD_PORT, API_PORT, KUBELET_PORT = 2379, 6443, 10250
ISSUER = "https://kubernetes.default.svc"


class Server:
    """A program with a log, that can be stopped and started again."""

    def __init__(self, directory, name, command, ready):
        """`ready`: says whether it is of use by now."""
        self.name, self.command, self.ready = name, command, ready
        self.log_path = directory / f"{name}.log"
        self.process = None
        self.start()

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        wait_for(f"{self.name} to be ready", self.up, patience=180, interval=0.1)

    def up(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended with {self.process.returncode}:\n{self.logged()[-3000:]}")
        return self.ready()

    def logged(self):
        return self.log_path.read_text(errors="replace")

    def stop(self):
        """The API server would wait a minute for those who watch."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(3)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def restart(self):
        self.stop()
        self.start()

    def memory(self):
        """Resident bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024


def image(program):
    """An image archive that has nothing but the program, as /program."""
    def archive(*files):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w") as tar:
            for name, data, mode in files:
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(data), mode
                tar.addfile(entry, io.BytesIO(data))
        return stream.getvalue()

    layer = archive(("program", Path(program).read_bytes(), 0o755))
    config = json.dumps({
        "architecture": "amd64", "os": "linux", "config": {"Entrypoint": ["/program"], "Cmd": ["wait"]},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]}}).encode()
    manifest = [{"Config": "config.json", "RepoTags": [IMAGE], "Layers": ["layer.tar"]}]
    return archive(("manifest.json", json.dumps(manifest).encode(), 0o644), ("config.json", config, 0o644),
                   ("layer.tar", layer, 0o644))


class Cluster:
    """For use in namespaces of its own."""

    def __init__(self, programs, devices, dra_driver):
        """`programs`: of kubernetes_builds; `devices`: {resource: ids in the order they are handed out}."""
        self.directory = Path(os.environ["CLUSTER_DIRECTORY"])
        self.programs = programs
        self.servers = []
        self.static_pods = self.directory / "static"
        self.prepare_machine()
        self.certificates = Certificates(self.directory / "certificates")
        self.authority = self.certificates.path("ca.pem")
        self.admin_token, self.node_token = secrets.token_hex(16), secrets.token_hex(16)
        self.etcd = self.start_etcd()
        self.containerd = self.start_containerd()
        self.api_server = self.start_api_server()
        self.api = Client(API_PORT, self.authority, self.admin_token)
        self.kubelet = self.start_kubelet()
        self.pod_resources = PodResources(KUBELET / "pod-resources/kubelet.sock")
        self.devices = devices
        self.plugin = self.start_plugin(dra_driver)
        self.wait_devices()

    def wait_devices(self):
        """Until pods can have them: the kubelet has them from the plugin, and the node tells of them."""
        known = sorted(device for ids in self.devices.values() for device in ids)

        def there():
            nodes = self.api.get("/api/v1/nodes")["items"]
            allocatable = nodes[0]["status"].get("allocatable", {}) if nodes else {}
            return (all(allocatable.get(resource) == str(len(ids)) for resource, ids in self.devices.items())
                    and sorted(i for entry in self.pod_resources.allocatable() for i in entry["device_ids"]) == known)

        wait_for("the devices to be on the node", there, patience=90, interval=0.2)

    def prepare_machine(self):
        for place in (KUBELET, Path("/var/lib/containerd"), Path("/run"), Path("/var/log")):
            behind = self.directory / ("behind" + str(place).replace("/", "-"))
            behind.mkdir()
            run("mount", "--bind", behind, place)
        run("ip", "link", "set", "lo", "up")
        run("ip", "address", "add", f"{ADDRESS}/32", "dev", "lo")

    def keep(self, name, command, ready):
        server = Server(self.directory, name, [str(word) for word in command], ready)
        self.servers.append(server)
        return server

    def start_etcd(self):
        url = f"http://127.0.0.1:{ETCD_PORT}"
        peer = "http://127.0.0.1:2380"

        def ready():
            try:
                return b"true" in urllib.request.urlopen(f"{url}/health", timeout=5).read()
            except OSError:
                return False

        return self.keep("etcd", [
            self.programs["etcd"], "--data-dir", self.directory / "etcd", "--unsafe-no-fsync",
            "--listen-client-urls", url, "--advertise-client-urls", url, "--listen-peer-urls", peer,
            "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}"], ready)

    def compact(self):
        """etcd forgets every revision but the newest."""
        def ask(path, body):
            request = urllib.request.Request(f"http://127.0.0.1:{ETCD_PORT}/v3/kv/{path}", json.dumps(body).encode())
            return json.loads(urllib.request.urlopen(request, timeout=30).read())

        key = base64.b64encode(b"/").decode()
        revision = ask("range", {"key": key})["header"]["revision"]
        ask("compaction", {"revision": revision, "physical": True})
        return int(revision)

    def start_containerd(self):
        config = self.directory / "containerd.toml"
        config.write_text(f"""
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "{CONTAINERD}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{IMAGE}"
  restrict_oom_score_adj = true
  disable_tcp_service = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
""")
        control = ["ctr", "-a", str(CONTAINERD), "-n", "k8s.io"]

        def ready():
            return subprocess.run([*control, "version"], capture_output=True).returncode == 0

        server = self.keep("containerd", ["containerd", "-c", config], ready)
        archive = self.directory / "image.tar"
        archive.write_bytes(image(self.programs["plugin"]))
        run(*control, "images", "import", archive)
        return server

    def start_api_server(self):
        run("openssl", "genrsa", "-out", self.certificates.path("accounts.key"), "2048")
        run("openssl", "rsa", "-in", self.certificates.path("accounts.key"), "-pubout",
            "-out", self.certificates.path("accounts.pub"))
        tokens = self.directory / "tokens.csv"
        tokens.write_text(f'{self.admin_token},admin,admin,"system:masters"\n'
                          f'{self.node_token},system:node:{NODE},node,"system:nodes"\n')
        return self.keep("kube-apiserver", [
            self.programs["kube-apiserver"], f"--etcd-servers=http://127.0.0.1:{ETCD_PORT}",
            "--bind-address=127.0.0.1", f"--secure-port={API_PORT}", f"--advertise-address={ADDRESS}",
            "--endpoint-reconciler-type=none", f"--tls-cert-file={self.certificates.path('server.pem')}",
            f"--tls-private-key-file={self.certificates.path('server.key')}", f"--token-auth-file={tokens}",
            "--authorization-mode=Node,RBAC", f"--service-account-issuer={ISSUER}",
            f"--service-account-key-file={self.certificates.path('accounts.pub')}",
            f"--service-account-signing-key-file={self.certificates.path('accounts.key')}",
            "--service-cluster-ip-range=10.96.0.0/24", "--disable-admission-plugins=ServiceAccount",
            "--runtime-config=resource.k8s.io/v1beta1=true", "--shutdown-delay-duration=0s"],
            lambda: Client(API_PORT, self.authority, self.admin_token).reachable())

    def start_kubelet(self):
        config, credentials = self.directory / "kubelet.json", self.directory / "kubeconfig.json"
        credentials.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "node"}}],
            "clusters": [{"name": "test", "cluster": {"server": f"https://127.0.0.1:{API_PORT}",
                                                      "certificate-authority": self.authority}}],
            "users": [{"name": "node", "user": {"token": self.node_token}}]}))
        self.static_pods.mkdir()
        self.kubelet_config = config
        config.write_text(json.dumps({
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "address": "127.0.0.1", "port": KUBELET_PORT, "healthzPort": 0, "staticPodPath": str(self.static_pods),
            "tlsCertFile": self.certificates.path("server.pem"),
            "tlsPrivateKeyFile": self.certificates.path("server.key"),
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True, "cacheTTL": "1s"}},
            "authorization": {"mode": "Webhook",
                              "webhook": {"cacheAuthorizedTTL": "1s", "cacheUnauthorizedTTL": "1s"}},
            "containerRuntimeEndpoint": f"unix://{CONTAINERD}", "cgroupDriver": "cgroupfs", "failCgroupV1": False,
            "failSwapOn": False, "makeIPTablesUtilChains": False, "resolvConf": "", "maxPods": 50,
            "evictionHard": {name: "0%" for name in ("memory.available", "nodefs.available", "nodefs.inodesFree",
                                                     "imagefs.available")},
            "imageGCHighThresholdPercent": 100, "syncFrequency": "2s", "nodeStatusUpdateFrequency": "1s"}))
        return self.keep("kubelet", [
            self.programs["kubelet"], f"--config={config}", f"--kubeconfig={credentials}",
            f"--root-dir={KUBELET}", f"--hostname-override={NODE}", f"--node-ip={ADDRESS}"],
            lambda: Client(KUBELET_PORT, self.authority, self.admin_token).reachable("/healthz"))

    def set_kubelet_features(self, features):
        """Restarts the kubelet with these feature gates."""
        config = json.loads(self.kubelet_config.read_text())
        self.kubelet_config.write_text(json.dumps({**config, "featureGates": features}))
        self.kubelet.stop()
        self.start_kubelet_again()

    def start_kubelet_again(self):
        """Until it runs pods, it holds the devices of pods that are no more."""
        self.kubelet.start()
        self.wait_devices()
        self.run_pod("restarted", {"main": {}})
        self.delete_pod("restarted")

    def start_plugin(self, dra_driver):
        return self.keep("plugin", [
            self.programs["plugin"], "serve", "-dra", dra_driver, "-pool", NODE,
            *(f"{resource}={','.join(ids)}" for resource, ids in self.devices.items())], lambda: True)

    def kubelet_client(self, token=None):
        return Client(KUBELET_PORT, self.authority, token or self.admin_token)

    def namespace(self, name):
        self.api.post("/api/v1/namespaces", {"metadata": {"name": name}})

    def account(self, name, rules):
        """A service account that may do what the rules of a ClusterRole say."""
        roles = "/apis/rbac.authorization.k8s.io/v1"
        self.api.post("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": name}})
        self.api.post(f"{roles}/clusterroles", {"metadata": {"name": name}, "rules": rules})
        self.api.post(f"{roles}/clusterrolebindings", {
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": [{"kind": "ServiceAccount", "namespace": "default", "name": name}]})

    def token(self, account, secret):
        """Of a service account; it is good for as long as a secret of that name, made here, is there."""
        made = self.api.post("/api/v1/namespaces/default/secrets", {"metadata": {"name": secret}})
        return self.api.post(f"/api/v1/namespaces/default/serviceaccounts/{account}/token", {"spec": {
            "expirationSeconds": 3600,
            "boundObjectRef": {"apiVersion": "v1", "kind": "Secret", "name": secret, "uid": made["metadata"]["uid"]}},
        })["status"]["token"]

    def revoke(self, secret):
        self.api.delete(f"/api/v1/namespaces/default/secrets/{secret}")

    def pod(self, name, containers, namespace="default", owner=None, labels=None, **spec):
        """Creates a pod on the node; `containers`: {name: {resource: count} or a container's fields}."""
        body = {"metadata": {"name": name, "labels": labels or {},
                             "ownerReferences": [reference(owner)] if owner else []},
                "spec": {"nodeName": NODE, "hostNetwork": True, "automountServiceAccountToken": False,
                         "enableServiceLinks": False, "terminationGracePeriodSeconds": 1,
                         "tolerations": [{"operator": "Exists"}],
                         "containers": [fields_of(n, c) for n, c in containers.items()], **spec}}
        return self.api.post(f"/api/v1/namespaces/{namespace}/pods", body)

    def wait_phase(self, name, phase, namespace="default"):
        """The pod, once it is in the phase and, if that is Running, all its containers run."""
        def attempt():
            pod = self.api.get(f"/api/v1/namespaces/{namespace}/pods/{name}")
            status = pod["status"]
            if status.get("phase") == "Failed" and phase != "Failed":
                raise RuntimeError(f"pod {name} failed: {status.get('reason')} {status.get('message')}")
            ready = phase != "Running" or all(c["ready"] for c in status.get("containerStatuses", [{"ready": False}]))
            return pod if status.get("phase") == phase and ready else None
        # A kubelet takes its time to come back to an API server that was away.
        return wait_for(f"pod {name} to be {phase}", attempt, patience=180, interval=0.2)

    def run_pod(self, name, containers, **more):
        self.pod(name, containers, **more)
        return self.wait_phase(name, "Running", more.get("namespace", "default"))

    def delete_pod(self, name, namespace="default", wait=True):
        path = f"/api/v1/namespaces/{namespace}/pods/{name}"
        self.api.delete(path)
        if wait:
            wait_for(f"pod {name} to be gone", lambda: self.gone(path), interval=0.2)

    def clear(self):
        """As it was before the first pod."""
        for server in self.servers:
            if server.process.poll() is not None:
                server.start()
        for manifest in self.static_pods.iterdir():
            manifest.unlink()
        for pod in self.api.get("/api/v1/pods")["items"]:
            with contextlib.suppress(Refused):  # it was on its way
                self.delete_pod(pod["metadata"]["name"], pod["metadata"]["namespace"], wait=False)
        wait_for("every pod to be gone", lambda: not self.api.get("/api/v1/pods")["items"], interval=0.2)

    def gone(self, path):
        try:
            self.api.get(path)
            return False
        except Refused as refused:
            return refused.status == 404

    def processes(self, pod):
        """{container name: process id} of a pod that runs."""
        found = {}
        for status in pod["status"]["containerStatuses"]:
            identity = status["containerID"].split("//")[1]
            for path in Path("/proc").glob("[0-9]*/cgroup"):
                with contextlib.suppress(OSError):
                    if identity in path.read_text():
                        found[status["name"]] = int(path.parent.name)
        return found

    def stop(self):
        """The containers end with the namespaces."""
        for server in reversed(self.servers):
            server.stop()


def fields_of(name, container):
    resources = container if not container or all("/" in key for key in container) else None
    more = {"resources": {"limits": resources}} if resources is not None else container
    return {"name": name, "image": IMAGE, "imagePullPolicy": "Never", **more}


def reference(owner):
    """Of a pod's or another object's controller."""
    return {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True}


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
