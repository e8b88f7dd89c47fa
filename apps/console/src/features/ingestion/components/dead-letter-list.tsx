import { Button, Group, Paper, SegmentedControl, Table, Text, VisuallyHidden } from "@mantine/core";
import type { DeadLetter } from "@sightline/observability/contract";
import { IconFilterOff, IconMailCheck } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type LetterState, deadLettersQuery } from "#features/ingestion/api/dead-letters.ts";
import { typeOf } from "#features/ingestion/entry-text.ts";
import { LETTER_STATES, SHOWN } from "#features/ingestion/letter-states.ts";
import { useApi } from "#http/api-context.ts";
import { formatBytes } from "#ui/words/format.ts";
import { EmptyPanel, ListError, LoadingList } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
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
  const list = useInfiniteQuery(deadLettersQuery(useApi(), projectId, state));
  const letters = list.data?.pages.flatMap(({ items }) => items);
  if (letters === undefined) {
    return list.error === null ? (
      <LoadingList />
    ) : (
      <ListError title="The entries could not be loaded" error={list.error} onRetry={() => void list.refetch()} />
    );
  }
  if (letters.length === 0 && (state === "replayed" || state === "deleted")) {
    return (
      <Paper>
        <EmptyPanel icon={<IconFilterOff />} title="None of them" description="Look at those in any state.">
          <Button variant="default" onClick={() => onState("all")}>
            Show all
          </Button>
        </EmptyPanel>
      </Paper>
    );
  }
  if (letters.length === 0) {
    return (
      <Paper>
        <EmptyPanel
          icon={<IconMailCheck />}
          title="Nothing was set aside"
          description="What this project's applications send is here only when it could not be read, masked or written. It is kept as it came, so that it can be mended and sent on its way again."
        />
      </Paper>
    );
  }
  return (
    <>
      <Paper>
        <LetterTable letters={letters} onOpen={onOpen} />
      </Paper>
      <LoadMore list={list} />
    </>
  );
}

function LetterTable({ letters, onOpen }: { readonly letters: readonly DeadLetter[]; readonly onOpen: (id: string) => void }) {
  return (
    <Table.ScrollContainer minWidth={680} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Entries that were set aside" } }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Why</Table.Th>
            <Table.Th w={110}>State</Table.Th>
            <Table.Th w={80} ta="right">
              Size
            </Table.Th>
            <Table.Th w={120}>Set aside</Table.Th>
            <Table.Th w={90}>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {letters.map((letter) => (
            <Table.Tr key={letter.id}>
              <Table.Td>
                <Text fw={550} style={{ overflowWrap: "anywhere" }} lineClamp={3} title={letter.reason}>
                  {letter.reason}
                </Text>
                <Text size="xs" c="dimmed">
                  {typeOf(letter.entry) ?? "of no known type"}
                  {letter.fixed_at !== null && ", mended"}
                </Text>
              </Table.Td>
              <Table.Td>
                <Status tone={LETTER_STATES[letter.state].tone}>{LETTER_STATES[letter.state].label}</Status>
              </Table.Td>
              <Table.Td ta="right">{letter.state === "deleted" ? "–" : formatBytes(letter.entry_length)}</Table.Td>
              <Table.Td>
                <TimeStamp at={letter.created_at} />
              </Table.Td>
              <Table.Td ta="right">
                <Button size="xs" variant="default" aria-label={`Look at the entry ${letter.entry_id}`} onClick={() => onOpen(letter.id)}>
                  Look
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
