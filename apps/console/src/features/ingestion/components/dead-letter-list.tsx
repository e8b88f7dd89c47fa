import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import type { DeadLetter } from "@sightline/observability/contract";
import { IconMailCheck } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Dimmed } from "#ui/kit/dimmed.tsx";
import { type LetterState, deadLettersQuery } from "#features/ingestion/api/dead-letters.ts";
import { typeOf } from "#features/ingestion/entry-text.ts";
import { LETTER_STATES, SHOWN } from "#features/ingestion/letter-states.ts";
import { asSentence, formatBytes } from "#ui/words/format.ts";
import { EmptyPanel, ListOf, NoMatch } from "#ui/kit/list-states.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { Status } from "#ui/kit/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";

type ListProps = {
  readonly projectId: string;
  readonly state: LetterState;
  readonly onState: (state: LetterState) => void;
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
      <Letters {...props} />
    </>
  );
}

function Letters({ projectId, state, onState, onOpen }: ListProps) {
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
            description="Events that could not be read, masked or written are kept here as they arrived, so that you can fix and replay them."
          />
        )
      }
    >
      {(letters) => (
        <DataTable
          label="Entries that were set aside"
          minWidth={680}
          rows={letters}
          rowKey={({ id }) => id}
          columns={[
            { header: "Why", render: (letter) => <Reason letter={letter} /> },
            {
              header: "State",
              width: 110,
              render: (letter) => <Status tone={LETTER_STATES[letter.state].tone}>{LETTER_STATES[letter.state].label}</Status>,
            },
            {
              header: "Size",
              width: 80,
              align: "right",
              render: (letter) => (letter.state === "deleted" ? "–" : formatBytes(letter.entry_length)),
            },
            { header: "Set aside", width: 120, render: (letter) => <TimeStamp at={letter.created_at} /> },
            {
              header: "Actions",
              isHidden: true,
              width: 90,
              align: "right",
              render: (letter) => (
                <Button size="xs" variant="default" aria-label={`Inspect the entry ${letter.entry_id}`} onClick={() => onOpen(letter.id)}>
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

function Reason({ letter }: { readonly letter: DeadLetter }) {
  return (
    <>
      <Text fw={550} style={{ overflowWrap: "anywhere" }} lineClamp={3} title={asSentence(letter.reason)}>
        {asSentence(letter.reason)}
      </Text>
      <Dimmed size="xs">
        {typeOf(letter.entry) ?? "of no known type"}
        {letter.fixed_at !== null && ", fixed"}
      </Dimmed>
    </>
  );
}
