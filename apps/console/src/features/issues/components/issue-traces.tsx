import { Anchor, Button } from "@mantine/core";
import type { IssueDetail, IssueTrace } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { issuesKey, issueTracesQuery, splitIssue } from "#features/issues/api/issues.ts";
import { useChange } from "#http/use-change.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { FailedChange } from "#ui/kit/failed-change.tsx";
import { ListOf } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatDuration, formatExactCount } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./issues.module.css";

type IssueTracesProps = { readonly projectId: string; readonly issue: IssueDetail };

/** All traces that show an issue, the newest first; the ones worth reading first say why. */
export function IssueTraces({ projectId, issue, mayChange }: IssueTracesProps & { readonly mayChange: boolean }) {
  const navigate = useNavigate();
  const split = useChange({
    send: (traceId: string) => splitIssue(projectId, issue.id, traceId),
    refreshes: [issuesKey(projectId)],
    onSuccess: ({ id }) => void navigate({ to: "/projects/$projectId/issues/$issueId", params: { projectId, issueId: id } }),
  });
  const list = useInfiniteQuery(issueTracesQuery(projectId, issue.id));
  return (
    <>
      <FailedChange error={split.error} title="It was not split off" mb="md" />
      <ListOf
        list={list}
        items={list.data?.pages.flatMap(({ items }) => items)}
        failed="Its traces could not be loaded"
        empty={<Dimmed p="lg">Its traces are gone.</Dimmed>}
      >
        {(traces) => (
          <DataTable
            label="Traces"
            minWidth={700}
            highlightOnHover
            rows={traces}
            rowKey={(trace) => trace.trace_id}
            columns={[
              { header: "Trace", render: (trace) => <TraceName projectId={projectId} issue={issue} trace={trace} /> },
              { header: "Steps", align: "right", className: classes.number, render: ({ steps }) => formatExactCount(steps) },
              {
                header: "Duration",
                align: "right",
                className: classes.number,
                render: ({ duration_ms: duration }) => (duration === null ? "–" : formatDuration(duration)),
              },
              { header: "Commit", render: ({ commit, release }) => <SafeText text={commit?.slice(0, 8) ?? release ?? "–"} /> },
              { header: "Seen", render: ({ seen_at: at }) => <TimeStamp at={at} /> },
              mayChange &&
                issue.merged > 0 && {
                  header: "Actions",
                  isHidden: true,
                  render: ({ trace_id: id, name }) => (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Split off what fails as ${name ?? "this trace"} does`}
                      loading={split.isPending && split.variables === id}
                      onClick={() => split.mutate(id)}
                    >
                      Split off
                    </Button>
                  ),
                },
            ]}
          />
        )}
      </ListOf>
    </>
  );
}

function TraceName({ projectId, issue, trace }: IssueTracesProps & { readonly trace: IssueTrace }) {
  const { typical, newest, shortest } = issue.evidence;
  const marks = (
    [
      ["typical", typical],
      ["newest", newest],
      ["shortest", shortest],
    ] as const
  ).flatMap(([name, chosen]) => (chosen?.trace_id === trace.trace_id ? [name] : []));
  return (
    <>
      <Anchor
        component={Link}
        fw={550}
        to="/projects/$projectId/traces/$traceId"
        params={{ projectId, traceId: trace.trace_id }}
        search={{ observation: trace.step_id ?? undefined }}
      >
        <SafeText text={trace.name ?? "a trace without a name"} />
      </Anchor>
      {marks.length > 0 && ` · ${marks.join(", ")}`}
      {trace.error !== null && (
        <Dimmed lineClamp={1}>
          <SafeText text={trace.error} />
        </Dimmed>
      )}
    </>
  );
}
