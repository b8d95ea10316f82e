"""Kubernetes' own programs, and our fake device plugin, built with Go from the module proxy.

$KUBE_APISERVER, $KUBELET and $FAKE_DEVICE_PLUGIN name ready ones instead.
"""
from pathlib import Path

from peer_builds import find_or_build

VERSION = "1.34.4"
STAGED = VERSION.replace("1.", "0.", 1)  # of the modules that Kubernetes' sources refer to by path
PLUGIN = Path(__file__).resolve().parent / "fake_device_plugin"

MODULES = """api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider
cluster-bootstrap code-generator component-base component-helpers controller-manager cri-api cri-client
csi-translation-lib dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator
kube-controller-manager kube-proxy kube-scheduler kubectl kubelet metrics mount-utils
pod-security-admission sample-apiserver""".split()

NICE = ["nice", "-n", "19"]


def build_of(program):
    """The path of the kubelet or the API server; None when it cannot be had."""
    package = f"k8s.io/kubernetes/cmd/{program}"
    replaced = "".join(f"replace k8s.io/{m} => k8s.io/{m} v{STAGED}\n" for m in MODULES)
    major, minor, _ = VERSION.split(".")
    version = {"gitVersion": f"v{VERSION}", "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    stamps = " ".join(f"-X k8s.io/component-base/version.{name}={value}" for name, value in version.items())
    return find_or_build(
        program, program.replace("-", "_").upper(),
        {"go.mod": f"module peer\n\ngo 1.24.0\n\nrequire k8s.io/kubernetes v{VERSION}\n\n{replaced}",
         "tools.go": f'//go:build tools\n\npackage peer\n\nimport _ "{package}"\n'},
        [[*NICE, "go", "mod", "tidy", "-e"],
         [*NICE, "go", "build", "-mod=mod", "-trimpath", "-ldflags", f"-s -w {stamps}", "-o", program, package]])


def build_plugin():
    sources = {path.name: path.read_text() for path in PLUGIN.iterdir() if path.suffix in (".go", ".mod")}
    return find_or_build(
        "fake_device_plugin", "FAKE_DEVICE_PLUGIN", sources,
        [[*NICE, "go", "mod", "tidy"],
         [*NICE, "go", "build", "-mod=mod", "-trimpath", "-ldflags", "-s -w", "-o", "fake_device_plugin", "."]])
