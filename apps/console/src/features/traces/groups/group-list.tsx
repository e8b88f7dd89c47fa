import { Button, Text, TextInput } from "@mantine/core";
import type { TraceGroup } from "@sightline/observability/contract";
import { IconFilterOff, IconSearch, IconUsers } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { EmptyPanel, ListOf } from "#ui/kit/list-states.tsx";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { NoValue } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { formatCost, formatCount, formatDuration } from "#ui/words/format.ts";
import { useTypedFilter } from "#ui/query/use-typed.ts";
import { type AskedGroups, GROUP_SORTS, type GroupKind, type GroupSort, traceGroupsQuery } from "#features/traces/api/trace-groups.ts";
import classes from "./group-list.module.css";

const WORDS: Readonly<Record<GroupKind, { readonly one: string; readonly many: string; readonly field: string }>> = {
  sessions: { one: "Session", many: "sessions", field: "session_id" },
  users: { one: "User", many: "users", field: "user_id" },
};

/** Reads the address; what makes no sense in it is as if it were not there. */
export function groupsAsked(kind: GroupKind, { q, sort }: Partial<Record<"q" | "sort", string | undefined>>): AskedGroups {
  return { kind, prefix: q ?? "", sort: GROUP_SORTS.find((known) => known === sort) ?? "last" };
}

type GroupListProps = {
  readonly projectId: string;
  readonly asked: AskedGroups;
  readonly onAsk: (search: { readonly q: string | undefined; readonly sort: GroupSort | undefined }) => void;
  /** A group's id, as a link to its page. */
  readonly children: (group: TraceGroup) => ReactNode;
};

export function GroupList({ projectId, asked, onAsk, children }: GroupListProps) {
  const { kind, sort, prefix } = asked;
  const words = WORDS[kind];
  const list = useInfiniteQuery(traceGroupsQuery(projectId, asked));
  const ask = (change: Partial<Pick<AskedGroups, "prefix" | "sort">>) => {
    const next = { prefix, sort, ...change };
    onAsk({ q: next.prefix === "" ? undefined : next.prefix, sort: next.sort === "last" ? undefined : next.sort });
  };
  const typed = useTypedFilter(prefix === "" ? undefined : prefix, (text) => ask({ prefix: text ?? "" }));
  return (
    <>
      <search className={classes.bar}>
        <TextInput
          className={classes.field ?? ""}
          aria-label={`${words.one} that begins with`}
          placeholder={`${words.one} that begins with…`}
          leftSection={<IconSearch size={15} />}
          maxLength={200}
          value={typed.text}
          onChange={(event) => typed.type(event.currentTarget.value)}
        />
        {list.data?.pages[0]?.is_cost_pending === true && (
          <Dimmed role="status">Prices changed a moment ago; some costs are still the old ones.</Dimmed>
        )}
      </search>
      <ListOf
        list={list}
        items={list.data?.pages.flatMap(({ items }) => items)}
        failed={`The ${words.many} could not be loaded`}
        empty={
          prefix === "" ? (
            <EmptyPanel
              icon={<IconUsers />}
              title={`No ${words.many} yet`}
              description={`A trace belongs to one when your application gives it a ${words.field}.`}
            />
          ) : (
            <EmptyPanel icon={<IconFilterOff />} title="Nothing begins so" description="Try it with fewer letters.">
              <Button variant="default" onClick={() => ask({ prefix: "" })}>
                Show all
              </Button>
            </EmptyPanel>
          )
        }
      >
        {(groups) => (
          <GroupTable title={words.one} groups={groups} sort={sort} onSort={(chosen) => ask({ sort: chosen })}>
            {children}
          </GroupTable>
        )}
      </ListOf>
    </>
  );
}

type GroupTableProps = Pick<GroupListProps, "children"> & {
  /** What a group is: `Session`, `User`. */
  readonly title: string;
  readonly groups: readonly TraceGroup[];
  /** The order of the list; undefined where it can't be changed. */
  readonly sort?: GroupSort;
  readonly onSort?: (sort: GroupSort) => void;
};

export function GroupTable({ title, groups, sort: sorted, onSort, children }: GroupTableProps) {
  const by = (sort: GroupSort) =>
    onSort === undefined ? {} : { sort: { order: sort === sorted ? ("desc" as const) : undefined, onSort: () => onSort(sort) } };
  const areSessions = groups.some(({ session }) => session !== undefined);
  const amount = (sort: GroupSort) => ({ ...by(sort), align: "right" as const });
  return (
    <DataTable
      label={`${title}s`}
      minWidth={areSessions ? 1_080 : 720}
      highlightOnHover
      verticalSpacing={9}
      rows={groups}
      rowKey={({ id }) => id}
      columns={[
        {
          header: title,
          render: (group) => (
            <div className={classes.name}>
              {children(group)}
              <CopyableId value={group.id} label={`${title.toLowerCase()} id`} length={0} />
            </div>
          ),
        },
        ...(areSessions
          ? [
              { header: "First message", render: ({ session }: TraceGroup) => <Said text={session?.first_input ?? null} /> },
              { header: "User", render: ({ session }: TraceGroup) => <Said text={session?.user_id ?? null} /> },
              {
                header: "Duration",
                align: "right" as const,
                render: ({ session }: TraceGroup) =>
                  typeof session?.duration_ms === "number" ? formatDuration(session.duration_ms) : <NoValue />,
              },
            ]
          : []),
        { header: "Traces", ...amount("traces"), render: ({ traces }) => formatCount(traces) },
        {
          header: "Failed",
          ...amount("failures"),
          render: ({ failures }) => (failures === 0 ? <NoValue /> : <Text c="var(--sl-bad)">{formatCount(failures)}</Text>),
        },
        {
          header: "Tokens",
          ...amount("tokens"),
          render: ({ input_tokens: input, output_tokens: output }) =>
            input === null && output === null ? <NoValue /> : formatCount((input ?? 0) + (output ?? 0)),
        },
        { header: "Cost", ...amount("cost"), render: ({ cost }) => (cost === null ? <NoValue /> : formatCost(cost)) },
        { header: "First trace", render: ({ first_at: at }) => <TimeStamp at={at} /> },
        { header: "Last trace", ...by("last"), render: ({ last_at: at }) => <TimeStamp at={at} /> },
      ]}
    />
  );
}

function Said({ text }: { readonly text: string | null }) {
  return text === null ? (
    <NoValue />
  ) : (
    <Text inherit maw={280} truncate title={text}>
      <SafeText text={text} />
    </Text>
  );
}
