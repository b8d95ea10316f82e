import { Badge } from "../../components/badge";
import { Bar, memoryTone } from "../../components/bar";
import { Empty } from "../../components/empty";
import { Panel } from "../../components/panel";
import { Table, type Column } from "../../components/table";
import type { Engine, EngineModel, NowDocument } from "../../data/api";
import { formatCount, formatSeconds, formatShare } from "../../format";
import { Link } from "../../router";

interface Row {
  engine: Engine;
  model: EngineModel | null; // null: nothing is known of any
}

const SLOW_FIRST_TOKEN = 0.5;
const LONG_QUEUE = 10;

const COLUMNS: Column<Row>[] = [
  {
    title: "Engine",
    heading: true,
    cell: ({ engine, model }) => (
      <span class="stacked">
        <Link view="engine" id={engine.id} class="owner-name">
          {model?.name || engine.id}
        </Link>
        <span class="faint">
          {engine.engine} {engine.version ?? ""} · {engine.id}
        </span>
      </span>
    ),
  },
  {
    title: "TTFT p95",
    numeric: true,
    cell: ({ engine, model }) =>
      engine.up ? (
        <FirstToken model={model} />
      ) : (
        <Badge tone="error" title={engine.error ?? ""}>
          down
        </Badge>
      ),
  },
  {
    title: "Queue",
    numeric: true,
    cell: ({ model }) => <Queue waiting={model?.values["llm.requests.waiting"]} />,
  },
  {
    title: "Running",
    numeric: true,
    cell: ({ model }) => formatCount(model?.values["llm.requests.running"]),
  },
  {
    title: "Tokens/s",
    numeric: true,
    cell: ({ model }) => formatCount(whole(model?.values["llm.generation.throughput"])),
  },
  {
    title: "KV cache",
    numeric: true,
    cell: ({ model }) => <Cache share={model?.values["llm.kv_cache.usage"]} />,
  },
];

export function EnginesPanel({ now }: { now: NowDocument }) {
  const rows = now.engines.flatMap<Row>((engine) =>
    engine.models.length === 0
      ? [{ engine, model: null }]
      : engine.models.map((model) => ({ engine, model })),
  );
  return (
    <Panel
      title="Engines"
      note={
        now.engines.length > 0
          ? `${now.engines.filter(({ up }) => up).length} of ${now.engines.length} up`
          : ""
      }
    >
      {rows.length === 0 ? (
        <Empty title="No serving engine is known">
          vLLM, SGLang, Triton, TGI and others on this node are found by themselves;{" "}
          <code>warpsight doctor</code> says what is out of reach.
        </Empty>
      ) : (
        <Table
          caption="Serving engines and their models"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ engine, model }) => `${engine.id} ${model?.name ?? ""}`}
        />
      )}
    </Panel>
  );
}

function FirstToken({ model }: { model: EngineModel | null }) {
  const p95 = model?.latency["ttft"]?.["0.95"];
  const text = formatSeconds(p95);
  return p95 !== null && p95 !== undefined && p95 > SLOW_FIRST_TOKEN ? (
    <Badge tone="warning">{text}</Badge>
  ) : (
    <>{text}</>
  );
}

function Queue({ waiting }: { waiting: number | undefined }) {
  const text = formatCount(waiting);
  return waiting !== undefined && waiting > LONG_QUEUE ? (
    <Badge tone="warning">{text}</Badge>
  ) : (
    <>{text}</>
  );
}

function Cache({ share }: { share: number | undefined }) {
  return (
    <span class="measured">
      <span>{formatShare(share)}</span>
      <Bar share={share ?? null} tone={memoryTone(share ?? null)} />
    </span>
  );
}

function whole(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value);
}
