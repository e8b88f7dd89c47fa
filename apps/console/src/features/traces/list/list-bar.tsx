import classes from "./list-bar.module.css";
import type { ListState } from "./list-state.ts";
import { QueryBar } from "#features/traces/list/query/query-bar.tsx";
import { TraceQueryHelp } from "#features/traces/list/query/query-help.tsx";
import { withTerm } from "#features/traces/list/query/query-text.ts";
import { StatusChips } from "./status-chips.tsx";
import { ViewMenu } from "./view-menu.tsx";
import { walkRows } from "./walk-rows.ts";

/** What is asked of the traces. */
export function ListBar({
  projectId,
  state,
  onChange,
}: {
  readonly projectId: string;
  readonly state: ListState;
  readonly onChange: (state: ListState) => void;
}) {
  const ask = (q: string) => onChange({ ...state, q });
  return (
    <search className={classes.bar}>
      <div className={classes.row}>
        <QueryBar
          projectId={projectId}
          value={state.q}
          onChange={ask}
          onEnterResults={() => walkRows(document.querySelector("tbody"), 1)}
        />
        <TraceQueryHelp onTake={(example) => ask(withTerm(state.q, example))} />
      </div>
      <div className={classes.row}>
        <ViewMenu projectId={projectId} state={state} onChange={onChange} />
        <StatusChips q={state.q} onChange={ask} />
      </div>
    </search>
  );
}
