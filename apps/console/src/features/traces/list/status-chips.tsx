import { UnstyledButton } from "@mantine/core";
import { type ObservationStatus, observationStatusSchema } from "@sightline/observability/contract";
import { TraceStatus } from "#features/traces/marks/trace-status.tsx";
import { statusesIn, withStatuses } from "#features/traces/list/query/query-text.ts";
import classes from "./status-chips.module.css";

/** Statuses to choose with a click each; what is chosen is a term of the query. */
export function StatusChips({ q, onChange }: { readonly q: string; readonly onChange: (q: string) => void }) {
  const chosen = statusesIn(q);
  const toggle = (status: ObservationStatus) =>
    onChange(withStatuses(q, chosen.includes(status) ? chosen.filter((other) => other !== status) : [...chosen, status]));
  return (
    <div className={classes.chips} role="group" aria-label="Status">
      {observationStatusSchema.options.map((status) => (
        <UnstyledButton key={status} className={classes.chip} aria-pressed={chosen.includes(status)} onClick={() => toggle(status)}>
          <TraceStatus status={status} />
        </UnstyledButton>
      ))}
    </div>
  );
}
