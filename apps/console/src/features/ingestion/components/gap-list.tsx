import { Paper, Table, Text } from "@mantine/core";
import type { Gap } from "@sightline/observability/contract";
import { IconShieldCheck } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { gapsQuery } from "#features/ingestion/api/gaps.ts";
import { useApi } from "#http/api-context.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { formatCount } from "#ui/words/format.ts";
import { EmptyPanel, ListError, LoadingList } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";

type GapListProps = {
  readonly projectId: string;
  /** A link to the traces of the time in which the producer sent. */
  readonly children: (gap: Gap) => ReactNode;
};

/** What never arrived, as ranges of the numbers that a producer gives its events. */
export function GapList({ projectId, children }: GapListProps) {
  const list = useInfiniteQuery(gapsQuery(useApi(), projectId));
  const gaps = list.data?.pages.flatMap(({ items }) => items);
  if (gaps === undefined) {
    return list.error === null ? (
      <LoadingList />
    ) : (
      <ListError title="The gaps could not be loaded" error={list.error} onRetry={() => void list.refetch()} />
    );
  }
  if (gaps.length === 0) {
    return (
      <Paper>
        <EmptyPanel
          icon={<IconShieldCheck />}
          title="No event was lost"
          description="Every application numbers what it sends. A number that is missing for 90 seconds would be here, and as a badge on the traces it may belong to."
        />
      </Paper>
    );
  }
  return (
    <>
      <Paper>
        <Table.ScrollContainer minWidth={680} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Gaps" } }}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th ta="right" w={110}>
                  Events lost
                </Table.Th>
                <Table.Th w={130}>Their numbers</Table.Th>
                <Table.Th>Sent by</Table.Th>
                <Table.Th w={120}>Found</Table.Th>
                <Table.Th w={130}>Traces</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {gaps.map((gap) => (
                <Table.Tr key={gap.id}>
                  <Table.Td ta="right" fw={550}>
                    {formatCount(gap.events)}
                  </Table.Td>
                  <Table.Td>{gap.first_seq === gap.last_seq ? gap.first_seq : `${gap.first_seq} – ${gap.last_seq}`}</Table.Td>
                  <Table.Td>
                    {gap.producer === null ? (
                      <Text c="dimmed">It did not say who it is</Text>
                    ) : (
                      <Text>
                        {gap.producer.host}, process {gap.producer.pid}
                      </Text>
                    )}
                    <Text size="xs" c="dimmed" component="div">
                      {gap.producer !== null && `${gap.producer.sdk}, ${gap.producer.runtime} `}
                      <CopyableId value={gap.producer_id} label="producer id" />
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <TimeStamp at={gap.found_at} />
                  </Table.Td>
                  <Table.Td>{gap.producer_first_event_at === null ? "–" : children(gap)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      <LoadMore list={list} />
    </>
  );
}
