#!/usr/bin/env python3
"""The OpenTelemetry SDK's way from 480 observed values to OTLP bytes, for the scale of otlp_bench.

Needs the PyPI packages opentelemetry-sdk and opentelemetry-exporter-otlp-proto-common; bench/run puts
them into build/peers/. Prints microseconds of CPU time for one collection and its encoding.
"""
import statistics
import time

from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.metrics import Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

METRICS, GPUS, ROUNDS = 60, 8, 50


def attributes(gpu):
    return {"gpu.index": str(gpu), "gpu.uuid": f"GPU-00000000-0000-0000-0000-{gpu:012}",
            "gpu.model": "NVIDIA H100 80GB HBM3", "gpu.pci.address": f"0000:{gpu:02x}:00.0", "gpu.vendor": "nvidia"}


def main():
    sets = [attributes(gpu) for gpu in range(GPUS)]
    reader = InMemoryMetricReader()
    meter = MeterProvider([reader]).get_meter("bench")
    for metric in range(METRICS):
        meter.create_observable_gauge(
            f"gpu.metric.{metric}", callbacks=[lambda _: [Observation(1.5, each) for each in sets]])
    took = []
    for _ in range(ROUNDS):
        began = time.process_time()
        encode_metrics(reader.get_metrics_data()).SerializeToString()
        took.append(time.process_time() - began)
    print(f"OpenTelemetry Python SDK, {METRICS * GPUS} points, collected and encoded: "
          f"{statistics.median(took) * 1e6:.0f} us")


if __name__ == "__main__":
    main()
