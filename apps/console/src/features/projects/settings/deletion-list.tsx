import type { Deletion } from "@sightline/observability/contract";
import { IconEraser } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { deletionsQuery } from "#features/projects/api/deletions.ts";
import { membersQuery, formatMember } from "#features/projects/api/members.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { EmptyPanel, ListOf } from "#ui/kit/list-states.tsx";
import { Status, type Tone } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { formatCount } from "#ui/words/format.ts";

const KINDS = { traces: "Traces", user: "A user" } as const satisfies Record<Deletion["kind"], string>;
const STATES = {
  deleting: { label: "Deleting", tone: "busy" },
  settling: { label: "Waiting for events in flight", tone: "busy" },
  done: { label: "Deleted", tone: "ok" },
} as const satisfies Record<Deletion["state"], { label: string; tone: Tone }>;

/** The project's deletions: who asked for what, and how far each is. */
export function DeletionList({ projectId }: { readonly projectId: string }) {
  const list = useInfiniteQuery(deletionsQuery(projectId));
  const { data: members } = useQuery(membersQuery(projectId));
  const names = new Map(members?.map((member) => [member.user_id, formatMember(member)]));
  return (
    <ListOf
      list={list}
      items={list.data?.pages.flatMap(({ items }) => items)}
      failed="The deletions could not be loaded"
      empty={
        <EmptyPanel
          icon={<IconEraser />}
          title="Nothing was deleted"
          description="When somebody deletes traces, or a user, it is recorded here: who, when and how many, never what they said."
        />
      }
    >
      {(deletions) => (
        <DataTable
          label="Deletions"
          minWidth={760}
          rows={deletions}
          rowKey={({ id }) => id}
          columns={[
            { header: "What", width: 90, render: ({ kind }) => KINDS[kind] },
            {
              header: "State",
              render: ({ state }) => <Status tone={STATES[state].tone}>{STATES[state].label}</Status>,
            },
            { header: "Traces", width: 90, align: "right", render: ({ traces }) => formatCount(traces) },
            { header: "Scores", width: 90, align: "right", render: ({ scores }) => formatCount(scores) },
            { header: "Dead letters", width: 110, align: "right", render: ({ dead_letters: deadLetters }) => formatCount(deadLetters) },
            { header: "By", render: ({ requested_by: by }) => names.get(by) ?? by },
            { header: "Requested", width: 120, render: ({ requested_at: at }) => <TimeStamp at={at} /> },
          ]}
        />
      )}
    </ListOf>
  );
}
