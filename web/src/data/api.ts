// Asks the agent. Nothing here throws: an error is a value, with the agent's hint.
import type {
  Aggregate,
  AlertsDocument,
  EventsDocument,
  LatestDocument,
  SeriesDocument,
  Severity,
  Silence,
} from "./documents";
import type { OwnersDocument, StatusDocument } from "./status_documents";
import { authorization, forgetCredentials, requireSignIn } from "./session";

export * from "./documents";
export * from "./status_documents";

export interface ApiError {
  status: number; // 0: no answer came
  message: string;
  hint: string;
}

export type Result<T> = { ok: true; value: T } | { ok: false; error: ApiError };

// Unix seconds, RFC 3339, or "-1h" before now.
export type TimeParameter = number | string;

export interface SeriesQuery {
  metrics: string[]; // 1..20
  match?: string[]; // "gpu.uuid=GPU-5a17", "llm.latency=ttft|itl"
  from?: TimeParameter;
  to?: TimeParameter;
  step?: number | string;
  aggregate?: Aggregate;
  limit?: number;
}

export interface EventsQuery {
  from?: TimeParameter;
  to?: TimeParameter;
  names?: string[]; // each may end in *
  severity?: Severity; // the least one
  match?: string[];
  limit?: number;
}

export interface SilenceRequest {
  match: string[];
  for: number; // seconds
  comment: string;
}

export function fetchLatest(
  query: { metrics?: string[]; match?: string[] } = {},
  signal?: AbortSignal,
): Promise<Result<LatestDocument>> {
  return getJson(
    withQuery("/api/v1/latest", { metric: query.metrics, match: query.match }),
    signal,
  );
}

export function fetchSeries(
  query: SeriesQuery,
  signal?: AbortSignal,
): Promise<Result<SeriesDocument>> {
  const { metrics, ...rest } = query;
  return getJson(withQuery("/api/v1/series", { metric: metrics, ...rest }), signal);
}

export function fetchEvents(
  query: EventsQuery = {},
  signal?: AbortSignal,
): Promise<Result<EventsDocument>> {
  const { names, ...rest } = query;
  return getJson(withQuery("/api/v1/events", { name: names, ...rest }), signal);
}

export function fetchAlerts(signal?: AbortSignal): Promise<Result<AlertsDocument>> {
  return getJson("/api/v1/alerts", signal);
}

export function fetchOwners(signal?: AbortSignal): Promise<Result<OwnersDocument>> {
  return getJson("/api/v1/owners", signal);
}

export function fetchStatus(signal?: AbortSignal): Promise<Result<StatusDocument>> {
  return getJson("/api/v1/status", signal);
}

export async function postSilence(request: SilenceRequest): Promise<Result<Silence>> {
  const answer = await ask("/api/v1/silences", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  });
  return answer.ok ? parsed<Silence>(answer.value) : answer;
}

export async function deleteSilence(id: string): Promise<Result<null>> {
  const answer = await ask(withQuery("/api/v1/silences", { id }), { method: "DELETE" });
  return answer.ok ? { ok: true, value: null } : answer;
}

// The response of any path of the agent, when it is a good one. A 401 raises the sign-in form.
export async function ask(path: string, init: RequestInit = {}): Promise<Result<Response>> {
  const headers = new Headers(init.headers);
  const credentials = authorization();
  try {
    if (credentials) headers.set("Authorization", credentials);
  } catch {
    forgetCredentials();
    return failure(401, "These credentials cannot be sent.", "Sign in with others.");
  }
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, credentials: "omit", cache: "no-store" });
  } catch {
    return failure(
      0,
      "The agent does not answer.",
      "Is it running, and can this machine reach it?",
    );
  }
  if (response.ok) return { ok: true, value: response };
  if (response.status === 401) requireSignIn();
  return refusal(response);
}

async function getJson<T>(path: string, signal?: AbortSignal): Promise<Result<T>> {
  const answer = await ask(path, { signal: signal ?? null });
  return answer.ok ? parsed<T>(answer.value) : answer;
}

async function parsed<T>(response: Response): Promise<Result<T>> {
  try {
    return { ok: true, value: (await response.json()) as T };
  } catch {
    return failure(
      response.status,
      "The agent's answer was cut off.",
      "It is asked again shortly.",
    );
  }
}

async function refusal(response: Response): Promise<Result<never>> {
  try {
    const body = (await response.json()) as { error?: string; hint?: string };
    if (body.error) return failure(response.status, body.error, body.hint ?? "");
  } catch {
    // Not every refusal is JSON.
  }
  return failure(response.status, `The agent answered ${response.status}.`, response.statusText);
}

function failure(status: number, message: string, hint: string): Result<never> {
  return { ok: false, error: { status, message, hint } };
}

type Parameter = string | number | string[] | undefined;

function withQuery(path: string, parameters: Record<string, Parameter>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(key, String(one));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}
