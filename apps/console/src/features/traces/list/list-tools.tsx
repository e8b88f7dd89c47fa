import { ExportButton } from "#ui/kit/export-button.tsx";
import { RangePicker } from "#ui/time/range-picker.tsx";
import { SPANS } from "#ui/time/time-range.ts";
import { ColumnMenu } from "./column-menu.tsx";
import { type ListState, isReadable } from "./list-state.ts";
import { withRange } from "#features/traces/list/query/query-text.ts";
import { useApi } from "#http/api-context.ts";

/** Of when, with which columns, and as a file. */
export function ListTools({
  projectId,
  state,
  onChange,
}: {
  readonly projectId: string;
  readonly state: ListState;
  readonly onChange: (state: ListState) => void;
}) {
  const api = useApi();
  return (
    <>
      <RangePicker range={state.range} spans={SPANS} withAll onChange={(range) => onChange({ ...state, range })} />
      <ColumnMenu columns={state.columns} onChange={(columns) => onChange({ ...state, columns })} />
      <ExportButton
        label="Export"
        name="sightline-traces"
        failed="The traces were not exported"
        disabled={!isReadable(state.q)}
        download={(signal) =>
          api.download({
            part: "observability",
            path: `/api/v1/projects/${encodeURIComponent(projectId)}/export`,
            query: { q: withRange(state.q, state.range) },
            accept: "application/jsonl",
            signal,
          })
        }
      />
    </>
  );
}
