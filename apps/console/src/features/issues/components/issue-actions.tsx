import { Button } from "@mantine/core";
import type { ChangeIssueRequest, IssueDetail } from "@sightline/observability/contract";
import { changeIssue, issuesKey } from "#features/issues/api/issues.ts";
import { useChange } from "#http/use-change.ts";
import { FailedChange } from "#ui/kit/failed-change.tsx";

/** Closing, ignoring and opening again. */
export function IssueActions({ projectId, issue }: { readonly projectId: string; readonly issue: IssueDetail }) {
  const change = useChange({
    send: (body: ChangeIssueRequest) => changeIssue(projectId, issue.id, body),
    refreshes: [issuesKey(projectId)],
  });
  const to = (state: IssueDetail["state"], label: string) => (
    <Button variant="default" loading={change.isPending && change.variables.state === state} onClick={() => change.mutate({ state })}>
      {label}
    </Button>
  );
  return (
    <>
      {issue.state === "open" ? (
        <>
          {to("ignored", "Ignore")}
          {to("closed", "Close")}
        </>
      ) : (
        to("open", "Open again")
      )}
      <FailedChange error={change.error} title="The issue was not changed" />
    </>
  );
}
