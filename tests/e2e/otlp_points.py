"""Points and log records of OTLP, and of our own JSON lines, in one shape that can be compared."""
from collections import namedtuple

from peers import nanoseconds

# kind: "gauge", "sum", "rising sum", "histogram". start is None where the kind has none.
Point = namedtuple("Point", "name unit kind attributes start time value")
Record = namedtuple("Record", "name severity body attributes time")

NO_RECORDED_VALUE = 1
CUMULATIVE = 2


def attributes_of(pairs):
    """Also insists on there being no key twice and no value but text."""
    keys = [pair["key"] for pair in pairs]
    assert len(keys) == len(set(keys)), keys
    return frozenset((pair["key"], pair["value"]["stringValue"]) for pair in pairs)


def number(point):
    if "asDouble" in point:
        return float(point["asDouble"])
    return float(point.get("asInt", 0))


def histogram_value(point):
    return (int(point.get("count", 0)), float(point.get("sum", 0)),
            tuple(map(float, point.get("explicitBounds", ()))),
            tuple(map(int, point.get("bucketCounts", ()))))


def metrics(export):
    """(resource attributes, scope, metric) of an ExportMetricsServiceRequest as JSON."""
    for resource in export.get("resourceMetrics", []):
        for scope in resource["scopeMetrics"]:
            for metric in scope["metrics"]:
                yield attributes_of(resource["resource"]["attributes"]), scope["scope"], metric


def points(export, with_ends=False):
    """Without the points that only say that a series has ended, unless asked for."""
    found = []
    for _, _, metric in metrics(export):
        if "gauge" in metric:
            kind, data, value = "gauge", metric["gauge"], number
        elif "sum" in metric:
            data, value = metric["sum"], number
            assert data["aggregationTemporality"] == CUMULATIVE
            kind = "rising sum" if data.get("isMonotonic") else "sum"
        else:
            kind, data, value = "histogram", metric["histogram"], histogram_value
        for point in data["dataPoints"]:
            ended = int(point.get("flags", 0)) & NO_RECORDED_VALUE
            if ended and not with_ends:
                continue
            # Of a sum that may fall the start says nothing, and our own lines do not have it.
            start = int(point["startTimeUnixNano"]) if kind in ("rising sum", "histogram") and not ended else None
            found.append(Point(metric["name"], metric.get("unit", ""), kind,
                               attributes_of(point.get("attributes", [])), start,
                               int(point["timeUnixNano"]), None if ended else value(point)))
    return found


def records(export):
    found = []
    for resource in export.get("resourceLogs", []):
        for scope in resource["scopeLogs"]:
            for record in scope["logRecords"]:
                found.append(Record(record.get("eventName", ""), record["severityText"],
                                    record["body"]["stringValue"],
                                    attributes_of(record.get("attributes", [])),
                                    int(record["timeUnixNano"])))
    return found


KINDS = {"gauge": "gauge", "info": "gauge", "counter": "rising sum", "up_down_counter": "sum",
         "histogram": "histogram"}


def line_points(lines):
    """The same of JSON lines. A value that was not read anew since is said again there: once here."""
    found = {}
    for line in lines:
        if "metric" not in line:
            continue
        if "histogram" in line:
            h = line["histogram"]
            value = (h["count"], float(h["sum"]), tuple(map(float, h["bounds"])), tuple(h["counts"]))
        else:
            value = float(line["value"])
        kind = KINDS[line["kind"]]
        start = nanoseconds(line["start"]) if "start" in line else None
        point = Point(line["metric"], line.get("unit", ""), kind, frozenset(line["attributes"].items()),
                      start, nanoseconds(line["time"]), value)
        found[(point.name, point.attributes, point.time)] = point
    return list(found.values())


def line_records(lines):
    return [Record(line["event"], line["severity"], line["message"],
                   frozenset(line["attributes"].items()), nanoseconds(line["time"]))
            for line in lines if "event" in line]
