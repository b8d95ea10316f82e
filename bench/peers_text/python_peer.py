#!/usr/bin/env python3
"""The parser of Python's prometheus_client over the files named. One line a file, as the Go peers
write it: parser, file, bytes, samples, seconds a page (the best of a second's worth)."""
import os
import sys
import time

from prometheus_client.parser import text_string_to_metric_families

ENOUGH_SECONDS = 1.0


def parse(text):
    return sum(len(family.samples) for family in text_string_to_metric_families(text))


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        best = float("inf")
        begin = time.perf_counter()
        samples = 0
        while time.perf_counter() - begin < ENOUGH_SECONDS:
            start = time.perf_counter()
            samples = parse(text)
            best = min(best, time.perf_counter() - start)
        size = len(text.encode())
        print("python prometheus_client", os.path.basename(path), size, samples, f"{best:.9f}", sep="\t")


if __name__ == "__main__":
    main()
