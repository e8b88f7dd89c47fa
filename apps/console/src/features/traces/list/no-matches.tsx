import { Button, Paper, Stack } from "@mantine/core";
import { IconFilterOff, IconX } from "@tabler/icons-react";
import { EmptyPanel } from "#ui/kit/list-states.tsx";
import { isAllTime, rangeInWords } from "#ui/time/time-range.ts";
import type { ListState } from "./list-state.ts";
import classes from "./no-matches.module.css";
import { partsOf } from "#features/traces/list/query/query-text.ts";

/** What was asked for in vain, part by part, each a click away from being dropped. */
export function NoMatches({ state, onChange }: { readonly state: ListState; readonly onChange: (state: ListState) => void }) {
  const { q, range } = state;
  const parts = [
    ...partsOf(q).map(({ text, rest }) => ({ text, without: { ...state, q: rest } })),
    ...(isAllTime(range) ? [] : [{ text: rangeInWords(range), without: { ...state, range: {} } }]),
  ];
  return (
    <Paper>
      <EmptyPanel
        icon={<IconFilterOff />}
        title="No trace matches"
        description={
          parts.length > 1 ? "Each of these must be true of a trace. Drop one, or all." : "No trace in this project is like that."
        }
      >
        <Stack align="center" maw="100%">
          <ul className={classes.parts} aria-label="What was asked for">
            {parts.map(({ text, without }, index) => (
              // Two may read alike.
              <li key={`${index} ${text}`}>
                <Button
                  variant="default"
                  size="compact-sm"
                  maw="100%"
                  rightSection={<IconX size={13} />}
                  aria-label={`Drop ${text}`}
                  onClick={() => onChange(without)}
                >
                  {text}
                </Button>
              </li>
            ))}
          </ul>
          <Button variant="default" onClick={() => onChange({ ...state, q: "", range: {} })}>
            Show all traces
          </Button>
        </Stack>
      </EmptyPanel>
    </Paper>
  );
}
