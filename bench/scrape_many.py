#!/usr/bin/env python3
"""What scraping 200 serving engines every 5 s costs, and whether every scrape is in time.

    bench/scrape_many.py [--endpoints 200] [--period 5] [--seconds 60]

One process stands for all engines: each port serves a page as vLLM's, whose counters move. CPU is the
scheduler's own account of the agent's threads. Debian's Prometheus, which scrapes the same ports as
often into its own store, stands beside it for scale. Exits 1 over 5 % of a core or when a scrape came
more than one period late.
"""
import argparse
import asyncio
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from footprint import ROOT, Subject, free_port, pss_mb

LIMIT_CPU_PERCENT = 5
HISTOGRAMS = ("time_to_first_token_seconds", "inter_token_latency_seconds", "e2e_request_latency_seconds",
              "request_queue_time_seconds", "request_prefill_time_seconds", "request_decode_time_seconds",
              "request_inference_time_seconds", "request_prompt_tokens", "request_generation_tokens",
              "request_time_per_output_token_seconds", "iteration_tokens_total",
              "request_params_max_tokens", "request_params_n")
BOUNDS = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0,
          40.0, 80.0, 160.0, 640.0, 2560.0)
COUNTERS = ("prompt_tokens", "generation_tokens", "num_preemptions", "prefix_cache_queries",
            "prefix_cache_hits")
GAUGES = ("num_requests_running", "num_requests_waiting", "kv_cache_usage_perc")


def page(tick):
    labels = 'engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct"'
    lines = []
    for name in GAUGES:
        lines += [f"# HELP vllm:{name} A gauge.", f"# TYPE vllm:{name} gauge",
                  f"vllm:{name}{{{labels}}} {tick % 7 / 10}"]
    for i, name in enumerate(COUNTERS):
        lines += [f"# HELP vllm:{name}_total A counter.", f"# TYPE vllm:{name}_total counter",
                  f"vllm:{name}_total{{{labels}}} {tick * 1000.0 * (i + 1)}"]
    for reason in ("stop", "length", "abort"):
        lines.append(f'vllm:request_success_total{{{labels[:10]},finished_reason="{reason}",{labels[11:]}}} {tick * 9.0}')
    for name in HISTOGRAMS:
        lines += [f"# HELP vllm:{name} A histogram.", f"# TYPE vllm:{name} histogram"]
        for i, bound in enumerate(BOUNDS):
            lines.append(f'vllm:{name}_bucket{{{labels},le="{bound}"}} {tick * 3.0 * (i + 1)}')
        total = tick * 3.0 * len(BOUNDS)
        lines += [f'vllm:{name}_bucket{{{labels},le="+Inf"}} {total}', f"vllm:{name}_count{{{labels}}} {total}",
                  f"vllm:{name}_sum{{{labels}}} {total / 3}"]
    return ("\n".join(lines) + "\n").encode()


def serve(count, ports, late, agent_name, period):
    """Listens on `count` ports, told through `ports`; keeps the worst gap between the agent's scrapes."""
    last, bodies = {}, {}

    async def handle(port, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                now = time.monotonic()
                if agent_name in head:
                    if port in last:
                        late.value = max(late.value, now - last[port] - period)
                    last[port] = now
                tick = int(now)
                if tick not in bodies:
                    bodies.clear()
                    bodies[tick] = page(tick)
                body = bodies[tick]
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
                             b"Content-Length: %d\r\n\r\n" % len(body) + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run():
        servers = []
        for _ in range(count):
            port = free_port()
            servers.append(await asyncio.start_server(lambda r, w, p=port: handle(p, r, w), "127.0.0.1", port))
            ports.send(port)
        await asyncio.Event().wait()

    asyncio.run(run())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--endpoints", type=int, default=200)
    parser.add_argument("--period", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--binary", default=str(ROOT / "build" / "warpsight"))
    options = parser.parse_args()
    late = multiprocessing.Value("d", 0)
    mine, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, daemon=True, args=(
        options.endpoints, theirs, late, b"warpsight/", options.period))
    server.start()
    ports = [mine.recv() for _ in range(options.endpoints)]

    directory = tempfile.TemporaryDirectory()
    folder = Path(directory.name)
    log = open(folder / "log", "wb")
    endpoints = ", ".join(f"'127.0.0.1:{port}'" for port in ports)
    (folder / "w.yaml").write_text(
        f"state_dir: {folder}\nlimits: {{series_per_source: 100000}}\nsources:\n  host: false\n  kmsg: false\n"
        f"  scrape: {{period: {options.period}s, discover: false, endpoints: [{endpoints}]}}\n")
    port = free_port()
    subjects = [Subject("warpsight", [options.binary, "run", "--config", str(folder / "w.yaml"), "--listen",
                                      f"127.0.0.1:{port}"], f"http://127.0.0.1:{port}/metrics", log)]
    if shutil.which("prometheus"):
        targets = ", ".join(f"'127.0.0.1:{port}'" for port in ports)
        (folder / "p.yml").write_text(f"scrape_configs:\n- job_name: e\n  scrape_interval: {options.period}s\n"
                                      f"  static_configs: [{{targets: [{targets}]}}]\n")
        port = free_port()
        subjects.append(Subject("prometheus", ["prometheus", f"--config.file={folder / 'p.yml'}",
                                               f"--storage.tsdb.path={folder / 'data'}",
                                               f"--web.listen-address=127.0.0.1:{port}"],
                                f"http://127.0.0.1:{port}/-/healthy", log))
    else:
        print("prometheus is not installed (Debian package prometheus): left out")

    time.sleep(2 * options.period)
    before = [sum(subject.cpu()) for subject in subjects]
    late.value = 0
    began = time.monotonic()
    time.sleep(options.seconds)
    elapsed = time.monotonic() - began
    cpu = [100 * (sum(s.cpu()) - b) / elapsed for s, b in zip(subjects, before)]
    body = len(page(1))
    print(f"{options.endpoints} pages of {body} bytes every {options.period} s")
    for subject, percent in zip(subjects, cpu):
        memory = sum(pss_mb(pid) for pid in subject.pids())
        micro = percent / 100 * options.period / options.endpoints * 1e6
        print(f"{subject.name:<12} {percent:6.2f} % of a core, {micro:6.0f} us a page, {memory:6.1f} MB Pss")
    print(f"latest scrape: {1e3 * late.value:.0f} ms after its time")
    for subject in subjects:
        subject.stop()
    server.terminate()
    if cpu[0] > LIMIT_CPU_PERCENT or late.value > options.period:
        sys.exit(f"over the limit: {LIMIT_CPU_PERCENT} % of a core, no scrape later than {options.period} s")


if __name__ == "__main__":
    main()
