import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Icon } from "./icon";

type SortKey = string | number | null | undefined;

export interface Column<T> {
  title: string;
  cell: (row: T) => ComponentChildren;
  sort?: (row: T) => SortKey; // without it the column cannot be sorted by
  numeric?: boolean;
  class?: string;
  heading?: boolean; // the cell names the row
}

export interface TableProps<T> {
  caption: string; // for those who cannot see what stands above it
  columns: Column<T>[];
  rows: T[];
  rowKey: (row: T) => string;
  initial?: { column: string; descending: boolean };
}

// On a narrow screen each row is a block of its own; the roles keep it a table for screen readers.
export function Table<T>({ caption, columns, rows, rowKey, initial }: TableProps<T>) {
  const [order, setOrder] = useState(initial ?? null);
  const sorted = useMemo(() => {
    const by = columns.find((column) => column.title === order?.column)?.sort;
    if (!by || !order) return rows;
    return [...rows].sort((a, b) => compare(by(a), by(b), order.descending));
  }, [rows, order, columns]);

  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={caption}>
      <table class="stacking" role="table">
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Heading
                key={column.title}
                column={column}
                descending={order?.column === column.title ? order.descending : null}
                onSort={(descending) => setOrder({ column: column.title, descending })}
              />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {sorted.map((row) => (
            <tr key={rowKey(row)} role="row">
              {columns.map((column) =>
                column.heading ? (
                  <th key={column.title} role="rowheader" scope="row" class={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td
                    key={column.title}
                    role="cell"
                    data-label={column.title}
                    class={classOf(column)}
                  >
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeadingProps<T> {
  column: Column<T>;
  descending: boolean | null; // null: not sorted by this one
  onSort: (descending: boolean) => void;
}

function Heading<T>({ column, descending, onSort }: HeadingProps<T>) {
  if (!column.sort) {
    return (
      <th role="columnheader" scope="col" class={classOf(column)}>
        {column.title}
      </th>
    );
  }
  const order = descending === null ? "none" : descending ? "descending" : "ascending";
  const next = descending === null ? column.numeric === true : !descending;
  return (
    <th role="columnheader" scope="col" class={classOf(column)} aria-sort={order}>
      <button type="button" class="sort" onClick={() => onSort(next)}>
        {column.title}
        {descending !== null && <Icon name={descending ? "down" : "up"} />}
      </button>
    </th>
  );
}

function classOf<T>(column: Column<T>): string {
  return [column.numeric ? "numeric" : "", column.class ?? ""].join(" ").trim();
}

// What is absent comes last either way.
function compare(a: SortKey, b: SortKey, descending: boolean): number {
  const absentA = a === null || a === undefined;
  const absentB = b === null || b === undefined;
  if (absentA || absentB) return Number(absentA) - Number(absentB);
  const order =
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true });
  return descending ? -order : order;
}
