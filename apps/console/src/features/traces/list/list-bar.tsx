import type { ListProps } from "#features/traces/list/model/list-state.ts";
import { FilterMenu } from "#features/traces/list/query/filter-menu.tsx";
import { QueryBar } from "#features/traces/list/query/query-bar.tsx";
import { withTerm, valuesIn, withToggled } from "#features/traces/list/query/query-text.ts";
import { ViewMenu } from "./view-menu.tsx";
import { walkRows } from "./walk-rows.ts";
import { TRACE_FIELDS, observationStatusSchema } from "@sightline/observability/contract";
import { QueryHelp } from "#ui/query/query-help.tsx";
import { UnstyledButton } from "@mantine/core";
import { TraceStatus } from "#ui/words/trace-status.tsx";
import classes from "./list-bar.module.css";

export function ListBar({ projectId, state, onChange }: ListProps) {
  const ask = (q: string) => onChange({ ...state, q });
  return (
    <search className={classes.bar}>
      <div className={classes.row}>
        <QueryBar
          projectId={projectId}
          value={state.q}
          onChange={(q) => onChange({ ...state, q }, true)}
          onEnterResults={() => walkRows(document.querySelector("tbody"), 1)}
        />
        <TraceQueryHelp onTake={(example) => ask(withTerm(state.q, example))} />
      </div>
      <div className={classes.row}>
        <FilterMenu projectId={projectId} q={state.q} range={state.range} onChange={ask} />
        <ViewMenu projectId={projectId} state={state} onChange={onChange} />
        <StatusChips q={state.q} onChange={ask} />
      </div>
    </search>
  );
}

const GRAMMAR: readonly { readonly example: string; readonly means: string }[] = [
  { example: "status:failure user:ann", means: "both must be true" },
  { example: "model:gpt-4o,gpt-4.1", means: "any of these" },
  { example: "-name:nightly*", means: "not these; * stands for anything" },
  { example: "duration:1s..5s", means: "from … to; also >5s and <=5s" },
  { example: "refund order", means: "whole words of its names, or of what it or a step took in, gave back or died of" },
  { example: '"order 42"', means: "these words together, or a value with spaces" },
];

const SECTIONS = [
  { lines: GRAMMAR },
  { title: "Fields", lines: TRACE_FIELDS.map(({ example, description }) => ({ example, means: description })) },
];

function TraceQueryHelp({ onTake }: { readonly onTake: (example: string) => void }) {
  return (
    <QueryHelp sections={SECTIONS} onTake={onTake}>
      A click adds an example to the query. While you type, Tab takes over what is offered and Escape puts it away. A word that may become
      the name of a field is looked for with Enter.
    </QueryHelp>
  );
}

/** Statuses to choose with a click each; what is chosen is a term of the query. */
function StatusChips({ q, onChange }: { readonly q: string; readonly onChange: (q: string) => void }) {
  const chosen = valuesIn(q, "status");
  return (
    <div className={classes.chips} role="group" aria-label="Status">
      {observationStatusSchema.options.map((status) => (
        <UnstyledButton
          key={status}
          className={classes.chip}
          aria-pressed={chosen.includes(status)}
          onClick={() => onChange(withToggled(q, "status", status))}
        >
          <TraceStatus status={status} />
        </UnstyledButton>
      ))}
    </div>
  );
}
