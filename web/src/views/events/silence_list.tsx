import { useState } from "preact/hooks";
import { ErrorNote } from "../../components/empty";
import { Table, type Column } from "../../components/table";
import { deleteSilence, type ApiError, type Silence } from "../../data/api";
import { formatDateTime, formatTime } from "../../format";

export function SilenceList({ silences, onChange }: { silences: Silence[]; onChange: () => void }) {
  const [error, setError] = useState<ApiError | null>(null);
  const remove = async (id: string) => {
    const answer = await deleteSilence(id);
    setError(answer.ok ? null : answer.error);
    onChange();
  };
  const columns: Column<Silence>[] = [
    { title: "Matches", heading: true, cell: ({ match }) => <code>{match.join(", ")}</code> },
    { title: "Comment", cell: ({ comment }) => comment },
    {
      title: "Until",
      cell: ({ until }) => <span title={formatDateTime(until)}>{formatTime(until)}</span>,
    },
    {
      title: "Remove",
      cell: ({ id, match }) => (
        <button
          type="button"
          aria-label={`Remove the silence of ${match.join(", ")}`}
          onClick={() => void remove(id)}
        >
          Remove
        </button>
      ),
    },
  ];
  return (
    <>
      {error && <ErrorNote error={error} />}
      <Table
        caption="Silences in force"
        columns={columns}
        rows={silences}
        rowKey={({ id }) => id}
      />
    </>
  );
}
