import { Button, Stack, Title } from "@mantine/core";
import type { IssueDetail } from "@sightline/observability/contract";
import { IconBugOff, IconDatabasePlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { AddToDataset } from "#features/datasets/components/add-to-dataset.tsx";
import { issueQuery } from "#features/issues/api/issues.ts";
import { IssueActions } from "#features/issues/components/issue-actions.tsx";
import { IssueFacts } from "#features/issues/components/issue-facts.tsx";
import { IssueTraces } from "#features/issues/components/issue-traces.tsx";
import { projectQuery } from "#features/projects/api/projects.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { IssueLine } from "./issue-line.tsx";
import { PageOfOne } from "./page-skeletons.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/issues/$issueId");

export function IssuePage() {
  const { projectId, issueId } = route.useParams();
  const issue = useQuery(issueQuery(projectId, issueId));
  return (
    <PageOfOne
      what="issue"
      projectId={projectId}
      query={issue}
      icon={<IconBugOff />}
      gone="It was merged into another, or none of its traces is kept any more."
    >
      {(found) => <WholeIssue key={issueId} issue={found} />}
    </PageOfOne>
  );
}

function WholeIssue({ issue }: { readonly issue: IssueDetail }) {
  const { projectId } = route.useParams();
  const { data: project } = useQuery(projectQuery(projectId));
  const [isAdding, setAdding] = useState(false);
  const mayChange = project !== undefined && project.my_role !== "viewer";
  const { typical, newest, shortest } = issue.evidence;
  const evidence = [...new Set([typical, newest, shortest].flatMap((trace) => trace?.trace_id ?? []))];
  return (
    <>
      <PageHeader title={<SafeText text={nameIssue(issue)} />} documentTitle={`${issue.title} · Issue`} description={describeState(issue)}>
        {mayChange && (
          <>
            <Button leftSection={<IconDatabasePlus size={16} />} disabled={evidence.length === 0} onClick={() => setAdding(true)}>
              Add to dataset
            </Button>
            <IssueActions projectId={projectId} issue={issue} />
          </>
        )}
      </PageHeader>
      <Stack gap="lg">
        <IssueFacts issue={issue} />
        <IssueLine issue={issue} />
        <section aria-label="Traces">
          <Title order={2} size="h4" mb="xs">
            Traces
          </Title>
          <IssueTraces projectId={projectId} issue={issue} mayChange={mayChange} />
        </section>
      </Stack>
      {isAdding && <AddToDataset projectId={projectId} traceIds={evidence} issueId={issue.id} onClose={() => setAdding(false)} />}
    </>
  );
}

/** The message stands below it, whole. */
function nameIssue({ error, step }: IssueDetail): string {
  return `${error.class ?? "Failure"} in ${step.name}`;
}

function describeState({ state, reopened_at: reopened, closed_at_commit: commit, ignored_until: until }: IssueDetail): string {
  switch (state) {
    case "open":
      return reopened === null ? "Open" : "Open: it came back after it was closed";
    case "closed":
      return commit === null ? "Closed: it opens by itself when a later trace shows it" : `Closed by ${commit.slice(0, 8)}`;
    case "ignored":
      return until === null ? "Ignored" : `Ignored until ${until.slice(0, 10)}`;
    default:
      return state satisfies never;
  }
}
