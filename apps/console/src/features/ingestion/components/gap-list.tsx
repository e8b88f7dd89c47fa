import { Text } from "@mantine/core";
import { type Gap, gapPageSchema } from "@sightline/observability/contract";
import { IconShieldCheck } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { encoded, observability } from "#http/calls.ts";
import { pageByPage } from "#http/queries.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { formatCount } from "#ui/words/format.ts";
import { EmptyPanel, ListOf } from "#ui/kit/list-states.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";

type GapListProps = {
  readonly projectId: string;
  /** A link to the traces of the time in which the producer sent. */
  readonly children: (gap: Gap) => ReactNode;
};

/** What never arrived, as ranges of the numbers that a producer gives its events. */
export function GapList({ projectId, children }: GapListProps) {
  const list = useInfiniteQuery(gapsQuery(projectId));
  return (
    <ListOf
      list={list}
      items={list.data?.pages.flatMap(({ items }) => items)}
      failed="The gaps could not be loaded"
      empty={
        <EmptyPanel
          icon={<IconShieldCheck />}
          title="No event was lost"
          description="Every application numbers its events. Numbers missing for 90 seconds are shown here, and as a badge on the traces they may belong to."
        />
      }
    >
      {(gaps) => (
        <DataTable
          label="Gaps"
          minWidth={680}
          rows={gaps}
          rowKey={({ id }) => id}
          columns={[
            { header: "Events lost", align: "right", width: 110, td: { fw: 550 }, render: ({ events }) => formatCount(events) },
            {
              header: "Sequence numbers",
              width: 130,
              render: ({ first_seq: first, last_seq: last }) => (first === last ? first : `${first} – ${last}`),
            },
            { header: "Sent by", render: (gap) => <Producer gap={gap} /> },
            { header: "Found", width: 120, render: (gap) => <TimeStamp at={gap.found_at} /> },
            { header: "Traces", width: 130, render: (gap) => (gap.producer_first_event_at === null ? "–" : children(gap)) },
          ]}
        />
      )}
    </ListOf>
  );
}

function Producer({ gap: { producer, producer_id: id } }: { readonly gap: Gap }) {
  return (
    <>
      {producer === null ? (
        <Text c="dimmed">Unknown sender</Text>
      ) : (
        <Text>
          {producer.host}, process {producer.pid}
        </Text>
      )}
      <Text size="xs" c="dimmed" component="div">
        {producer !== null && `${producer.sdk}, ${producer.runtime} `}
        <CopyableId value={id} label="producer id" />
      </Text>
    </>
  );
}

const PAGE_SIZE = 50;
const EVERY_MS = 15_000;

/** Ranges of lost events, newest first. */
function gapsQuery(projectId: string) {
  const call = observability.get(encoded`/api/v1/projects/${projectId}/gaps`, { query: { limit: PAGE_SIZE }, answer: gapPageSchema });
  return { ...pageByPage(["projects", projectId, "gaps"], call), placeholderData: keepPreviousData, refetchInterval: EVERY_MS };
}
