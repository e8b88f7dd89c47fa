import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import type { DeadLetter } from "@sightline/observability/contract";
import { IconMailCheck } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { type DeadLetterState, deadLettersQuery } from "#features/ingestion/api/dead-letters.ts";
import { typeOfEntry } from "#features/ingestion/entry-text.ts";
import { DEAD_LETTER_STATES, SHOWN } from "#features/ingestion/dead-letter-states.ts";
import { asSentence, formatBytes } from "#ui/words/format.ts";
import { EmptyPanel, ListOf, NoMatch } from "#ui/kit/list-states.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { Status } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";

type ListProps = {
  readonly projectId: string;
  readonly state: DeadLetterState;
  readonly onState: (state: DeadLetterState) => void;
  readonly onOpen: (id: string) => void;
};

/** Entries of the stream that could not become part of a trace. */
export function DeadLetterList(props: ListProps) {
  return (
    <>
      <Group mb="md">
        <SegmentedControl
          aria-label="Which entries"
          data={[...SHOWN]}
          value={props.state}
          onChange={(value) => props.onState(SHOWN.find((each) => each.value === value)?.value ?? "open")}
        />
      </Group>
      <DeadLetters {...props} />
    </>
  );
}

function DeadLetters({ projectId, state, onState, onOpen }: ListProps) {
  const list = useInfiniteQuery(deadLettersQuery(projectId, state));
  return (
    <ListOf
      list={list}
      items={list.data?.pages.flatMap(({ items }) => items)}
      failed="The entries could not be loaded"
      empty={
        state === "replayed" || state === "deleted" ? (
          <NoMatch title="None of them" description="Show them in any state." all="Show all" onAll={() => onState("all")} />
        ) : (
          <EmptyPanel
            icon={<IconMailCheck />}
            title="No dead letters"
            description="Events that could not be read, masked or written are kept here as they arrived, so that you can see why and replay them."
          />
        )
      }
    >
      {(deadLetters) => (
        <DataTable
          label="Entries that were set aside"
          minWidth={680}
          rows={deadLetters}
          rowKey={({ id }) => id}
          columns={[
            { header: "Why", render: (deadLetter) => <Reason deadLetter={deadLetter} /> },
            {
              header: "State",
              width: 110,
              render: (deadLetter) => (
                <Status tone={DEAD_LETTER_STATES[deadLetter.state].tone}>{DEAD_LETTER_STATES[deadLetter.state].label}</Status>
              ),
            },
            {
              header: "Size",
              width: 80,
              align: "right",
              render: (deadLetter) => (deadLetter.state === "deleted" ? "–" : formatBytes(deadLetter.entry_length)),
            },
            { header: "Set aside", width: 120, render: (deadLetter) => <TimeStamp at={deadLetter.created_at} /> },
            {
              header: "Actions",
              isHidden: true,
              width: 90,
              align: "right",
              render: (deadLetter) => (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Inspect the entry ${deadLetter.entry_id}`}
                  onClick={() => onOpen(deadLetter.id)}
                >
                  Inspect
                </Button>
              ),
            },
          ]}
        />
      )}
    </ListOf>
  );
}

function Reason({ deadLetter }: { readonly deadLetter: DeadLetter }) {
  return (
    <>
      <Text fw={550} style={{ overflowWrap: "anywhere" }} lineClamp={3} title={asSentence(deadLetter.reason)}>
        {asSentence(deadLetter.reason)}
      </Text>
      <Dimmed size="xs">{typeOfEntry(deadLetter.entry) ?? "of no known type"}</Dimmed>
    </>
  );
}
