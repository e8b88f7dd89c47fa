import { PickBySearch, PickedFacts, PickedName } from "#ui/kit/pick-by-search.tsx";
import { formatDuration } from "#ui/words/format.ts";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { tracesToCompareQuery } from "#features/compare/api/compare.ts";
import { TraceStatus } from "#ui/words/trace-status.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";

type PickTraceProps = {
  readonly projectId: string;
  readonly label: string;
  readonly query: string;
  /** The traces that are compared already. */
  readonly except: readonly string[];
  readonly onPick: (traceId: string) => void;
};

/** Finds a trace by the query of the list, beginning with what is likely wanted. */
export function PickTrace({ projectId, label, query, except, onPick }: PickTraceProps) {
  return (
    <PickBySearch
      label={label}
      find={{ label: "Find a trace", description: "Same syntax as the trace list", typed: query }}
      query={(asked) => tracesToCompareQuery(projectId, asked)}
      itemsOf={({ items }) => items.filter(({ id }) => !except.includes(id))}
      nothing="No other trace matches."
      heading={(count) => `The newest ${count}`}
      itemKey={({ id }) => id}
      render={({ name, status, started_at: at, duration_ms: ms }) => (
        <>
          <PickedName>
            <SafeText text={name} />
          </PickedName>
          <TraceStatus status={status} />
          <PickedFacts>
            <ExactTime at={at} />
            {ms === null ? "" : ` · ${formatDuration(ms)}`}
          </PickedFacts>
        </>
      )}
      onPick={({ id }) => onPick(id)}
    />
  );
}
