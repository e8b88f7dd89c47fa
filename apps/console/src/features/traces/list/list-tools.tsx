import { RangePicker } from "#ui/range-picker.tsx";
import { SPANS } from "#ui/time-range.ts";
import { ColumnMenu } from "./column-menu.tsx";
import { ExportButton } from "./export-button.tsx";
import { type ListState, isReadable } from "./list-state.ts";
import { withRange } from "#features/traces/list/query/query-text.ts";

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
  return (
    <>
      <RangePicker range={state.range} spans={SPANS} withAll onChange={(range) => onChange({ ...state, range })} />
      <ColumnMenu columns={state.columns} onChange={(columns) => onChange({ ...state, columns })} />
      <ExportButton projectId={projectId} q={withRange(state.q, state.range)} disabled={!isReadable(state.q)} />
    </>
  );
}
