import { Button, Popover, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Dimmed } from "#ui/kit/dimmed.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { formatDuration } from "#ui/words/format.ts";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { tracesToCompareQuery } from "#features/compare/api/compare.ts";
import { TraceStatus } from "#ui/words/trace-status.tsx";
import classes from "./pick-trace.module.css";

const PAUSE_MS = 250;

type PickTraceProps = {
  readonly projectId: string;
  readonly label: string;
  readonly query: string;
  /** Those that are compared already. */
  readonly except: readonly string[];
  readonly onPick: (traceId: string) => void;
};

/** Finds a trace by the query of the list, beginning with what is likely wanted. */
export function PickTrace({ label, onPick, ...sought }: PickTraceProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={460} trapFocus withinPortal>
      <Popover.Target>
        <Button size="compact-sm" variant="default" onClick={() => setOpen(!isOpen)}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {isOpen && (
          <Choices
            {...sought}
            onPick={(traceId) => {
              setOpen(false);
              onPick(traceId);
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function Choices({ projectId, query, except, onPick }: Omit<PickTraceProps, "label">) {
  const [typed, setTyped] = useState(query);
  const [asked] = useDebouncedValue(typed, PAUSE_MS);
  const found = useQuery(tracesToCompareQuery(projectId, asked));
  const traces = found.data?.items.filter(({ id }) => !except.includes(id));
  const heading = useId();
  return (
    <>
      <TextInput
        label="Find a trace"
        description="In the language of the list of traces"
        {...typedInto(typed, setTyped)}
        error={found.error?.message}
        data-autofocus
      />
      <Dimmed id={heading} mt="sm" aria-live="polite">
        {traces === undefined ? "Looking …" : traces.length === 0 ? "No other trace matches." : `The newest ${traces.length}`}
      </Dimmed>
      <ul className={classes.list} aria-labelledby={heading}>
        {traces?.map((trace) => (
          <li key={trace.id}>
            <UnstyledButton className={classes.choice} onClick={() => onPick(trace.id)}>
              <span className={classes.name}>{trace.name}</span>
              <TraceStatus status={trace.status} />
              <span className={classes.when}>
                <ExactTime at={trace.started_at} />
                {trace.duration_ms === null ? "" : ` · ${formatDuration(trace.duration_ms)}`}
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </>
  );
}
