import type { ComponentChildren } from "preact";
import { Badge } from "../../components/badge";
import { Panel } from "../../components/panel";
import { Table, type Column } from "../../components/table";
import type { LatestSeries } from "../../data/api";
import { formatCount, formatValue } from "../../format";

interface LinkRow {
  index: string;
  transmit: number | null;
  receive: number | null;
  errors: number | null;
}

const COLUMNS: Column<LinkRow>[] = [
  { title: "Link", cell: ({ index }) => index, sort: ({ index }) => Number(index), heading: true },
  { title: "Sent", cell: ({ transmit }) => formatValue(transmit, "By/s"), sort: (row) => row.transmit, numeric: true },
  { title: "Received", cell: ({ receive }) => formatValue(receive, "By/s"), sort: (row) => row.receive, numeric: true },
  {
    title: "Errors",
    cell: ({ errors }) => (errors ? <Badge tone="warning">{formatCount(errors)}</Badge> : formatCount(errors)),
    sort: ({ errors }) => errors,
    numeric: true,
  },
];

// How the GPU is connected; nothing where that is not known. Links are listed when they say something.
export function Links({ series }: { series: LatestSeries[] }) {
  const value = (metric: string) => series.find((one) => one.metric === metric)?.value ?? null;
  const generation = value("gpu.pcie.link.gen.current");
  const active = value("gpu.interconnect.links.active");
  const fabric = value("gpu.fabric.healthy");
  const rows = linkRows(series);
  const errorFree = rows.length > 0 && rows.every(({ errors }) => errors === 0);
  const telling = rows.length > 0 && !(errorFree && rows.every(hasNoTraffic));
  if (generation === null && active === null && rows.length === 0) return null;
  return (
    <Panel title="Links">
      <dl class="facts">
        {generation !== null && (
          <Fact name="PCIe">
            generation {generation} of {formatCount(value("gpu.pcie.link.gen.max"))},{" "}
            {formatCount(value("gpu.pcie.link.width.current"))} of{" "}
            {formatCount(value("gpu.pcie.link.width.max"))} lanes{" "}
            {value("gpu.pcie.link.downtraining") ? <Badge tone="warning">below its best while busy</Badge> : null}
          </Fact>
        )}
        {active !== null && (
          <Fact name="NVLink">
            {active} links up{errorFree && ", no errors"}
          </Fact>
        )}
        {fabric !== null && (
          <Fact name="Fabric">
            {fabric ? <Badge tone="good">healthy</Badge> : <Badge tone="error">not healthy</Badge>}
          </Fact>
        )}
      </dl>
      {telling && (
        <Table caption="NVLink links of this GPU" columns={COLUMNS} rows={rows} rowKey={({ index }) => index} />
      )}
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function hasNoTraffic({ transmit, receive }: LinkRow): boolean {
  return transmit === null && receive === null;
}

function linkRows(series: LatestSeries[]): LinkRow[] {
  const rows = new Map<string, LinkRow>();
  for (const { metric, attributes, value } of series) {
    const index = attributes["gpu.interconnect.link_index"];
    if (index === undefined) continue;
    const row = rows.get(index) ?? { index, transmit: null, receive: null, errors: null };
    rows.set(index, row);
    const direction = attributes["gpu.interconnect.direction"];
    if (metric === "gpu.interconnect.throughput" && direction === "transmit") row.transmit = value;
    if (metric === "gpu.interconnect.throughput" && direction === "receive") row.receive = value;
    if (metric === "gpu.interconnect.errors") row.errors = (row.errors ?? 0) + (value ?? 0);
  }
  return [...rows.values()].sort((a, b) => Number(a.index) - Number(b.index));
}
