import { Anchor } from "@mantine/core";
import type { Issue, ListIssuesRequest } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { issuesQuery } from "#features/issues/api/issues.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ListOf } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatExactCount } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { DaysBars } from "./days-bars.tsx";
import classes from "./issues.module.css";
import { placeInWords } from "#features/issues/place-in-words.ts";

type IssueListProps = {
  readonly projectId: string;
  readonly asked: Pick<ListIssuesRequest, "state" | "sort">;
  readonly empty: ReactNode;
};

/** The issues of a project. */
export function IssueList({ projectId, asked, empty }: IssueListProps) {
  const list = useInfiniteQuery(issuesQuery(projectId, asked));
  return (
    <ListOf list={list} items={list.data?.pages.flatMap(({ items }) => items)} failed="The issues could not be loaded" empty={empty}>
      {(items) => (
        <DataTable
          label="Issues"
          minWidth={340}
          highlightOnHover
          rows={items}
          rowKey={({ id }) => id}
          columns={[
            { header: "Issue", className: classes.name, render: (issue) => <IssueName projectId={projectId} issue={issue} /> },
            { header: "30 days", className: classes.wide, render: ({ sparkline }) => <DaysBars days={sparkline} /> },
            { header: "Traces", align: "right", className: classes.number, render: ({ count }) => formatExactCount(count) },
            {
              header: "Users",
              align: "right",
              className: `${classes.number} ${classes.wide}`,
              render: ({ users }) => (users === 0 ? "–" : formatExactCount(users)),
            },
            { header: "Last seen", className: classes.number, render: ({ last_seen: at }) => <TimeStamp at={at} /> },
          ]}
        />
      )}
    </ListOf>
  );
}

function IssueName({ projectId, issue }: { readonly projectId: string; readonly issue: Issue }) {
  return (
    <>
      <Anchor component={Link} fw={550} lineClamp={2} to="/projects/$projectId/issues/$issueId" params={{ projectId, issueId: issue.id }}>
        <SafeText text={issue.title} />
      </Anchor>
      <Dimmed lineClamp={1}>
        <SafeText text={placeInWords(issue)} />
        {issue.reopened_at !== null && " · came back"}
      </Dimmed>
    </>
  );
}
