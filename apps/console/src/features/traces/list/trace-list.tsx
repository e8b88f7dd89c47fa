import { MAX_BULK_TRACES, type ProjectRole, type TextSearch, type TraceHistogram } from "@sightline/observability/contract";
import { Button, Paper, Skeleton, Stack } from "@mantine/core";
import { IconFilterOff, IconX } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatExactCount, plural } from "#ui/words/format.ts";
import { EmptyPanel, ListError, LoadingList } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { Status } from "#ui/words/status.tsx";
import type { Choice } from "#features/traces/api/bulk.ts";
import { histogramQuery, isLive, tracesQuery } from "#features/traces/api/list-traces.ts";
import { type LiveState, useLive } from "#features/traces/api/use-live.ts";
import { LiveMark } from "#features/traces/marks/live-mark.tsx";
import { type ListProps, isReadable } from "#features/traces/list/model/list-state.ts";
import { toTraceQuery, withTerm, splitQuery } from "#features/traces/list/query/query-text.ts";
import { ChosenTraces } from "./chosen-traces.tsx";
import { TraceHistogramBar } from "./histogram.tsx";
import { TraceTable } from "./trace-table.tsx";
import { isAllTime, rangeInWords } from "#ui/time/time-range.ts";
import classes from "./trace-list.module.css";

const PAUSE_MS = 300;
const SORTED_PAUSE_MS = 5_000;

type TraceListProps = ListProps & {
  /** The reader's role in the project; undefined while it is not known. */
  readonly role: ProjectRole | undefined;
  readonly onCompare: (first: string, second: string) => void;
  readonly onAddToDataset: (chosen: Choice) => void;
  /** What a project without any trace needs. */
  readonly setUp: ReactNode;
};

/** The traces that the state of the list finds, live as long as they are the first. */
export function TraceList({ projectId, role, state, onChange, onCompare, onAddToDataset, setUp }: TraceListProps) {
  const { sort, columns } = state;
  const query = toTraceQuery(state);
  const { q, order } = query;
  const readable = isReadable(q);
  const options = tracesQuery(projectId, query);
  const queries = useQueryClient();
  const list = useInfiniteQuery({ ...options, enabled: readable });
  const live = useLive({
    projectId,
    enabled: readable && isLive(list.data?.pages.length),
    // What is sorted by anything but time changes less visibly, and costs more to ask for.
    pauseMs: sort === "started" ? PAUSE_MS : SORTED_PAUSE_MS,
    // Never breaks off the loading of the next page.
    refresh: () => list.refetch({ cancelRefetch: false }),
  });
  // The histogram shows the same answer, so that it is requested once.
  const counted = useQuery({ ...histogramQuery(projectId, q), enabled: readable });
  const [ticked, setTicked] = useState<readonly string[]>([]);
  // All that a query found when they were chosen, also those that are not shown.
  const [matching, setMatching] = useState<Extract<Choice, { q: string }>>();
  const tick = (ids: readonly string[]) => {
    setTicked(ids.slice(0, MAX_BULK_TRACES));
    setMatching(undefined);
  };
  const traces = list.data?.pages.flatMap(({ items }) => items);
  const search = list.data?.pages[0]?.search;

  function toFirst(): void {
    queries.removeQueries({ queryKey: options.queryKey });
    void list.refetch();
  }

  if (traces === undefined) {
    if (!readable) {
      return (
        <Paper>
          <EmptyPanel icon={<IconFilterOff />} title="This query can't be read" description="See the error below the search box." />
        </Paper>
      );
    }
    return list.error === null ? (
      <>
        <div className={classes.line}>
          <Skeleton height={12} width={190} radius="xl" />
        </div>
        <LoadingList />
      </>
    ) : (
      <ListError title="The traces could not be loaded" error={list.error} onRetry={() => void list.refetch()} />
    );
  }
  if (traces.length === 0 && q === "") {
    return <Paper>{setUp}</Paper>;
  }
  const all = matching?.q === q ? matching : undefined;
  const chosen = all ?? { ids: ticked, count: ticked.length };
  const shownChosen = all === undefined ? ticked : traces.map(({ id }) => id);
  return (
    <>
      <TraceHistogramBar projectId={projectId} state={state} onChange={onChange} />
      <div className={classes.line}>
        <Dimmed role="status">
          {countInWords(traces.length, list.hasNextPage ? counted.data : undefined)}
          {list.data?.pages[0]?.is_counting === true && "; the newest traces are still being counted, some may be missing here"}
          {list.data?.pages[0]?.is_cost_pending === true && "; prices changed a moment ago, some costs are still the old ones"}
          {search !== undefined && search !== null && unsearchedInWords(search)}
        </Dimmed>
        <Freshness readable={readable} error={list.error} live={isLive(list.data?.pages.length) ? live : undefined} onFirst={toFirst} />
        {chosen.count > 0 && (
          <ChosenTraces
            projectId={projectId}
            role={role}
            chosen={chosen}
            matching={counted.data?.total}
            onChooseAll={(count) => setMatching({ q, count })}
            onCompare={onCompare}
            onAddToDataset={onAddToDataset}
            onClear={() => tick([])}
          />
        )}
      </div>
      {traces.length === 0 ? (
        <NoMatches state={state} onChange={onChange} />
      ) : (
        <>
          <Paper className={classes.paper ?? ""} data-stale={(readable && list.isPlaceholderData) || undefined}>
            <TraceTable
              projectId={projectId}
              traces={traces}
              words={search?.words}
              columns={columns}
              sorting={{ sort, order }}
              chosen={shownChosen}
              onSort={(sorting) => onChange({ ...state, ...sorting })}
              onChoose={(ids, isChosen) => tick([...shownChosen.filter((id) => !ids.includes(id)), ...(isChosen ? ids : [])])}
              onTerm={(term) => onChange({ ...state, q: withTerm(state.q, term) })}
            />
          </Paper>
          <LoadMore list={list} />
        </>
      )}
    </>
  );
}

/** Undefined where all are shown, or where nobody has counted them yet. */
function countInWords(shown: number, counted: TraceHistogram | undefined): string {
  if (counted === undefined || counted.total <= shown) {
    return shown === 0 ? "No traces" : plural(shown, "trace", "traces");
  }
  return `Showing ${formatExactCount(shown)} of ${formatExactCount(counted.total)}${counted.is_cut ? "+" : ""}`;
}

/** What a search of texts cannot find yet. */
function unsearchedInWords({ behind_seconds: seconds, is_older_pending: isOlder }: TextSearch): string {
  const late = seconds === 0 ? "" : `; text of the last ${plural(Math.ceil(seconds / 60), "minute", "minutes")} is not searchable yet`;
  return isOlder ? `${late}; text from before the upgrade is still being read` : late;
}

type FreshnessProps = {
  readonly readable: boolean;
  readonly error: Error | null;
  /** Undefined where more than the first page is shown. */
  readonly live: LiveState | undefined;
  readonly onFirst: () => void;
};

/** Whether what is shown is what is asked for, and goes on by itself. */
function Freshness({ readable, error, live, onFirst }: FreshnessProps) {
  if (!readable) {
    return <Status tone="warn">As before: the query can't be read</Status>;
  }
  if (error !== null) {
    return <Status tone="bad">Not up to date: {error.message}</Status>;
  }
  return live === undefined ? (
    <Button size="compact-sm" variant="subtle" onClick={onFirst}>
      Back to the first
    </Button>
  ) : (
    <LiveMark state={live} />
  );
}

/** What was asked for in vain, part by part, each a click away from being dropped. */
function NoMatches({ state, onChange }: Pick<ListProps, "state" | "onChange">) {
  const { q, range } = state;
  const parts = [
    ...splitQuery(q).map(({ text, rest }) => ({ text, without: { ...state, q: rest } })),
    ...(isAllTime(range) ? [] : [{ text: rangeInWords(range), without: { ...state, range: {} } }]),
  ];
  return (
    <Paper>
      <EmptyPanel
        icon={<IconFilterOff />}
        title="No traces match your filters"
        description={parts.length > 1 ? "Traces must match all filters. Remove one or all." : "Remove the filter to see all traces."}
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
