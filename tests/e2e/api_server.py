"""A Kubernetes API server: get, list and watch."""
import base64
import contextlib
import json
import re
import secrets
import threading
import time
from collections import deque, namedtuple

from json_server import JsonServer, failure

OBJECT_PATH = re.compile(r"(/api/v1|/apis/[^/]+/[^/]+)(?:/namespaces/([^/]+))?/([a-z]+)(?:/([^/]+))?")
KINDS = {"pods": ("/api/v1", "Pod"), "nodes": ("/api/v1", "Node"), "replicasets": ("/apis/apps/v1", "ReplicaSet"),
         "jobs": ("/apis/batch/v1", "Job"), "resourceslices": ("/apis/resource.k8s.io/", "ResourceSlice")}
Change = namedtuple("Change", "version resource type object line")


class ApiServer(JsonServer):
    """Get, list and watch of what is put in.

    `forbidden`: resources nobody may see; `page_size`: no list is longer; `gone_by`: how a version that
    is too old is answered, "http" or "event"; `slices`: the one version of resource.k8s.io there is."""

    def __init__(self, slices="v1", **more):
        self.objects = {resource: {} for resource in KINDS}
        self.changed = threading.Condition()
        self.log = deque(maxlen=4096)
        self.version = 100
        self.oldest = 0  # versions before it are forgotten
        self.rests = {}  # continue token → (version, the items left)
        self.drops = 0
        self.torn = False
        self.forbidden = set()
        self.page_size = None
        self.gone_by = "http"
        self.slices = slices
        self.bookmark_every = 1.0
        super().__init__(**more)

    def group(self, resource):
        prefix, _ = KINDS[resource]
        return prefix + self.slices if resource == "resourceslices" else prefix

    def typed(self, resource, thing):
        return {"kind": KINDS[resource][1], "apiVersion": re.sub("^/apis?/", "", self.group(resource)), **thing}

    def note(self, resource, kind, thing):
        """With the lock held."""
        self.version += 1
        thing["metadata"]["resourceVersion"] = str(self.version)
        line = json.dumps({"type": kind, "object": self.typed(resource, thing)}).encode() + b"\n"
        self.log.append(Change(self.version, resource, kind, thing, line))
        if len(self.log) == self.log.maxlen:
            self.oldest = max(self.oldest, self.log[0].version)
        self.changed.notify_all()

    def put(self, resource, thing):
        key = thing["metadata"].get("namespace", ""), thing["metadata"]["name"]
        with self.changed:
            kind = "MODIFIED" if key in self.objects[resource] else "ADDED"
            self.objects[resource][key] = thing
            self.note(resource, kind, thing)

    def delete(self, resource, name, namespace=""):
        with self.changed:
            thing = self.objects[resource].pop((namespace, name), None)
            if thing:
                self.note(resource, "DELETED", dict(thing, metadata=dict(thing["metadata"])))

    @contextlib.contextmanager
    def forgetting(self, gone_by):
        """What is changed meanwhile no watch tells: it and all before it is forgotten."""
        with self.changed:
            self.gone_by = gone_by
            yield
            self.log.clear()
            self.version += 1
            self.oldest = self.version
            self.drop_watches()

    def drop_watches(self, torn=False):
        """Ends all watches, in order or in the middle of an answer."""
        with self.changed:
            self.torn = torn
            self.drops += 1
            self.changed.notify_all()

    def watches(self, resource="pods"):
        return sum(path.endswith("/" + resource) and "watch" in query for path, query, _ in list(self.asked))

    def reply(self, path, query, handler):
        if path == "/apis/resource.k8s.io":
            version = {"groupVersion": f"resource.k8s.io/{self.slices}", "version": self.slices}
            return 200, {"kind": "APIGroup", "apiVersion": "v1", "name": "resource.k8s.io", "versions": [version],
                         "preferredVersion": version}
        match = OBJECT_PATH.fullmatch(path)
        if not match or match[3] not in KINDS or match[1] != self.group(match[3]):
            return failure(404, "NotFound", "the server could not find the requested resource")
        _, namespace, resource, name = match.groups()
        if resource in self.forbidden:
            return failure(403, "Forbidden", f'{resource} is forbidden: User "system:serviceaccount:monitoring:'
                                             f'warpsight" cannot list resource "{resource}" at the cluster scope')
        if name:
            with self.changed:
                thing = self.objects[resource].get((namespace or "", name))
                return ((200, self.typed(resource, thing)) if thing
                        else failure(404, "NotFound", f'{resource} "{name}" not found'))
        chosen = selector(query.get("fieldSelector", ""), namespace)
        if chosen is None:
            return failure(400, "BadRequest", "field label not supported")
        if query.get("watch") in ("1", "true"):
            return self.watch(resource, query, chosen, handler)
        return self.list(resource, query, chosen)

    def list(self, resource, query, chosen):
        with self.changed:
            if "continue" in query:
                if query["continue"] not in self.rests:
                    return failure(410, "Expired", "The provided continue parameter is too old")
                version, items = self.rests.pop(query["continue"])
            else:
                version, items = self.version, [o for o in self.objects[resource].values() if chosen(o)]
            limit = min(int(query.get("limit") or len(items)), self.page_size or len(items))
            metadata = {"resourceVersion": str(version)}
            if len(items) > limit:
                token = base64.urlsafe_b64encode(secrets.token_bytes(12)).decode()
                self.rests = dict(list(self.rests.items())[-63:])
                self.rests[token] = (version, items[limit:])
                metadata.update({"continue": token, "remainingItemCount": len(items) - limit})
            typed = self.typed(resource, {})
            return 200, {"kind": typed["kind"] + "List", "apiVersion": typed["apiVersion"], "metadata": metadata,
                         "items": items[:limit]}

    def watch(self, resource, query, chosen, handler):
        too_old = failure(410, "Expired", "too old resource version")
        given = int(query.get("resourceVersion") or 0)
        bookmarks = query.get("allowWatchBookmarks") in ("1", "true")
        end = time.monotonic() + int(query.get("timeoutSeconds") or 1800)
        with self.changed:
            forgotten = 0 < given < self.oldest
            if forgotten and self.gone_by == "http":
                return too_old
            drops, position, first = self.drops, given or self.version, []
            if not given:
                first = [json.dumps({"type": "ADDED", "object": self.typed(resource, o)}).encode() + b"\n"
                         for o in self.objects[resource].values() if chosen(o)]
        self.asked.append((handler.path.partition("?")[0], query, 200))
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()

        def say(data):
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if data else b"")
            handler.wfile.flush()

        say(b"".join(first))
        bookmark_at = time.monotonic() + self.bookmark_every
        while not forgotten:
            with self.changed:
                def news():
                    return self.drops != drops or self.closed or self.version > position
                self.changed.wait_for(news, max(0, min(end, bookmark_at) - time.monotonic()))
                if self.drops != drops or self.closed:
                    break
                forgotten = position < self.oldest
                lines = [c.line for c in self.log
                         if c.version > position and c.resource == resource and chosen(c.object)]
                position = self.version
            if forgotten or time.monotonic() >= end:
                break
            if bookmarks and time.monotonic() >= bookmark_at:
                lines.append(json.dumps({"type": "BOOKMARK", "object": self.typed(
                    resource, {"metadata": {"resourceVersion": str(position)}})}).encode() + b"\n")
            if time.monotonic() >= bookmark_at:
                bookmark_at += self.bookmark_every
            while self.hung and not self.closed:
                time.sleep(0.02)
            say(b"".join(lines))
        if forgotten:
            say(json.dumps({"type": "ERROR", "object": too_old[1]}).encode() + b"\n")
        if (self.torn and self.drops != drops) or self.closed:
            say(b'{"type":"ADDED","object":{"metadata":{"na')
            handler.close_connection = True
        else:
            handler.wfile.write(b"0\r\n\r\n")
            handler.wfile.flush()
        return None


def selector(text, namespace):
    """Whether an object is meant; None where the selector is none we know."""
    places = {"spec.nodeName": ("spec", "nodeName"), "metadata.name": ("metadata", "name"),
              "metadata.namespace": ("metadata", "namespace")}
    wanted = [term.partition("=") for term in text.split(",") if term]
    if any(field not in places for field, _, _ in wanted):
        return None

    def chosen(thing):
        if namespace and thing["metadata"].get("namespace") != namespace:
            return False
        return all(thing.get(places[field][0], {}).get(places[field][1]) == value.lstrip("=")
                   for field, _, value in wanted)
    return chosen
