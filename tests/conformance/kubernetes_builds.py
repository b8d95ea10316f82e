"""Kubernetes' own programs, and our fake device plugin, built with Go from the module proxy.

$KUBE_APISERVER, $KUBELET, $ETCD and $FAKE_DEVICE_PLUGIN name ready ones instead.
"""
from pathlib import Path

from peer_builds import find_or_build

VERSION = "1.34.4"
STAGED = VERSION.replace("1.", "0.", 1)  # of the modules that Kubernetes' sources refer to by path
ETCD = "go.etcd.io/etcd/server/v3"
ETCD_VERSION = "3.6.5"
PLUGIN = Path(__file__).resolve().parent / "fake_device_plugin"

MODULES = """api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider
cluster-bootstrap code-generator component-base component-helpers controller-manager cri-api cri-client
csi-translation-lib dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator
kube-controller-manager kube-proxy kube-scheduler kubectl kubelet metrics mount-utils
pod-security-admission sample-apiserver""".split()


def go_build(name, package, stamps=""):
    """Commands that leave the package's program in the folder they run in; others need the machine too."""
    return [["nice", "-n", "19", "go", "mod", "tidy", "-e"],
            ["nice", "-n", "19", "go", "build", "-mod=mod", "-trimpath", "-ldflags", f"-s -w {stamps}", "-o", name,
             package]]


def required(module, version, package, more=""):
    """A module of our own that has another's program as a requirement: `go install` refuses some."""
    return {"go.mod": f"module peer\n\ngo 1.24.0\n\nrequire {module} v{version}\n{more}",
            "tools.go": f'//go:build tools\n\npackage peer\n\nimport _ "{package}"\n'}


def kubernetes(name):
    package = f"k8s.io/kubernetes/cmd/{name}"
    replaced = "".join(f"\nreplace k8s.io/{m} => k8s.io/{m} v{STAGED}\n" for m in MODULES)
    major, minor, _ = VERSION.split(".")
    version = {"gitVersion": f"v{VERSION}", "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    stamps = " ".join(f"-X k8s.io/component-base/version.{key}={value}" for key, value in version.items())
    return find_or_build(name, name.replace("-", "_").upper(),
                         required("k8s.io/kubernetes", VERSION, package, replaced), go_build(name, package, stamps))


def etcd():
    return find_or_build("etcd", "ETCD", required(ETCD, ETCD_VERSION, ETCD), go_build("etcd", ETCD))


def fake_device_plugin():
    sources = {path.name: path.read_text() for path in PLUGIN.iterdir() if path.suffix in (".go", ".mod")}
    return find_or_build("fake_device_plugin", "FAKE_DEVICE_PLUGIN", sources, go_build("fake_device_plugin", "."))


def programs():
    """{name: path} of all of them; a path is None when that program cannot be had."""
    return {"kube-apiserver": kubernetes("kube-apiserver"), "kubelet": kubernetes("kubelet"), "etcd": etcd(),
            "plugin": fake_device_plugin()}
