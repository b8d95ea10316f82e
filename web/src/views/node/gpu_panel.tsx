import { useState } from "preact/hooks";
import { Empty } from "../../components/empty";
import { Panel } from "../../components/panel";
import { Segments } from "../../components/segments";
import type { NowDocument } from "../../data/api";
import { GpuCard } from "./gpu_card";
import { GpuRows } from "./gpu_rows";
import { commonModel, summarize, type SummarizedTree } from "./gpu_summary";
import type { UtilizationHistory } from "./utilization_history";

const MOST_CARDS = 16;
const KEY = "warpsight.gpus";
const SHAPES = [
  ["cards", "Cards"],
  ["rows", "Rows"],
] as const;

type Shape = (typeof SHAPES)[number][0];

export function GpuPanel({ now, history }: { now: NowDocument; history: UtilizationHistory }) {
  const [chosen, setChosen] = useState(() => localStorage.getItem(KEY));
  const trees = summarize(now, history.byDevice);
  if (trees.length === 0) {
    return (
      <Panel title="GPUs">
        <Empty title="No GPU is seen">
          The agent looks for GPUs of every vendor it knows. <code>warpsight doctor</code> on the
          node says what it tried and what to do.
        </Empty>
      </Panel>
    );
  }
  const shape: Shape =
    chosen === "cards" || chosen === "rows" ? chosen : trees.length > MOST_CARDS ? "rows" : "cards";
  const choose = (next: Shape) => {
    localStorage.setItem(KEY, next);
    setChosen(next);
  };
  return (
    <Panel
      title="GPUs"
      class="bare"
      note={noteOf(trees, history)}
      actions={<Segments label="Show GPUs as" options={SHAPES} chosen={shape} onChoose={choose} />}
    >
      {shape === "rows" ? (
        <div class="sheet">
          <GpuRows trees={trees} />
        </div>
      ) : (
        <ul class="gpu-grid">
          {trees.map(({ tree, summary }) => (
            <GpuCard key={tree.gpu.id} tree={tree} summary={summary} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function noteOf(trees: SummarizedTree[], history: UtilizationHistory): string {
  const model = commonModel(trees.map(({ tree }) => tree));
  const lines = history.error ? "no history, so no lines" : "lines: utilisation over the last hour";
  return model === null ? lines : `${trees.length} × ${model} · ${lines}`;
}
