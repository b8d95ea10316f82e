"""A Kubernetes node: its kubelet, the API server, and the processes of containers."""
import shutil
import tempfile
import uuid
from pathlib import Path

from api_server import ApiServer
from kubelet import KubeletPods, PodResources


class Processes:
    """Processes on GPUs: what the driver says of them, and a /proc that says whose they are."""

    def __init__(self, root):
        self.root = root
        self.file = root / "processes"
        self.lines = {}
        self.next = 70_000
        (root / "proc").mkdir(parents=True)
        (root / "proc" / "stat").write_text("cpu 1 1 1 1 1 1 1 1 0 0\nbtime 1790000000\n")
        (root / "proc" / "uptime").write_text("90000.00 80000.00\n")
        self.tell()

    def add(self, gpu, pod, container=0, memory=0, sm=0, mig=None, form="systemd"):
        """Sizes in MiB, `sm` in percent; `form`: the cgroup driver of the kubelet."""
        pid, self.next = self.next, self.next + 1
        box = pod.containers[container].id
        path = {"systemd": f"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-"
                           f"pod{pod.uid.replace('-', '_')}.slice/cri-containerd-{box}.scope",
                "cgroupfs": f"/kubepods/besteffort/pod{pod.uid}/{box}"}[form]
        hierarchies = ("0::",) if form == "systemd" else ("4:memory:", "1:name=systemd:", "0::")
        folder = self.root / "proc" / str(pid)
        folder.mkdir()
        (folder / "cgroup").write_text("".join(f"{h}{path}\n" for h in hierarchies))
        (folder / "comm").write_text("python3\n")
        (folder / "cmdline").write_bytes(b"python3\0train.py\0")
        (folder / "environ").write_bytes(b"HOSTNAME=" + pod.name.encode() + b"\0")
        (folder / "stat").write_text(f"{pid} (python3) S 1 {pid} {pid} 0 -1 4194304" + " 0" * 12 +
                                     f" {pid * 10}" + " 0" * 30 + "\n")
        (folder / "status").write_text(f"Name:\tpython3\nState:\tS (sleeping)\nTgid:\t{pid}\nPid:\t{pid}\nPPid:\t1\n"
                                       f"Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nNStgid:\t{pid}\t1\nNSpid:\t{pid}\t1\n")
        self.lines[pid] = f"{gpu} {pid} {memory} {sm}" + (f" {mig}" if mig is not None else "")
        self.tell()
        return pid

    def remove(self, pid):
        del self.lines[pid]
        self.tell()
        shutil.rmtree(self.root / "proc" / str(pid))

    def tell(self):
        fresh = self.file.with_suffix(".new")
        fresh.write_text("".join(line + "\n" for line in self.lines.values()))
        fresh.rename(self.file)


class Node:
    """One node of a cluster; what is done to a pod is told by all who know of it."""

    def __init__(self, certificates, name="node0", slices="v1"):
        self.name = name
        # A socket's path must be short.
        self.directory = Path(tempfile.mkdtemp(prefix="node-"))
        self.authority = certificates.path("ca.pem")
        self.token_file = self.directory / "token"
        self.set_token("token-1")
        tls = certificates.server_context
        self.resources = PodResources(self.directory / "kubelet.sock")
        self.api = ApiServer(slices=slices, tls=tls(), tokens={"token-1"})
        self.kubelet = KubeletPods(tls=tls(), tokens={"token-1"})
        self.api.put("nodes", {
            "metadata": {"name": name, "uid": str(uuid.uuid4()), "labels": {
                "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": "zone-a"}},
            "spec": {}, "status": {"nodeInfo": {"kubeletVersion": "v1.34.4"}}})

    def set_token(self, token):
        fresh = self.directory / "token.new"
        fresh.write_text(token)
        fresh.chmod(0o600)
        fresh.rename(self.token_file)

    def run(self, *pods):
        for pod in pods:
            self.api.put("pods", pod.json())
            self.kubelet.pods[pod.key] = pod
        self.resources.add(*pods)

    def finish(self, pod, phase="Succeeded"):
        """It ends, and is still listed, as kubelets before 1.34 do."""
        pod.phase = phase
        self.api.put("pods", pod.json())

    def delete(self, *pods):
        self.resources.remove(*pods)
        for pod in pods:
            self.kubelet.pods.pop(pod.key, None)
            self.api.delete("pods", pod.name, pod.namespace)

    def close(self):
        self.resources.hung = self.api.hung = self.kubelet.hung = False
        self.resources.stop()
        self.api.stop()
        self.kubelet.stop()
        shutil.rmtree(self.directory)
