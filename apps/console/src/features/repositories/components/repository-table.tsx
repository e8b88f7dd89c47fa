import { Anchor, Button, Text } from "@mantine/core";
import type { Repository } from "@sightline/code-index/contract";
import { IconRefresh } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { useChange } from "#http/use-change.ts";
import { FailureReason } from "#ui/words/failure-reason.tsx";
import { formatCount } from "#ui/words/format.ts";
import { JobProgress } from "#ui/words/job-progress.tsx";
import { codeLink } from "#ui/page/code-link.ts";
import { CommitLink } from "#ui/page/commit-link.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { NoValue, Status, type Tone } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { INDEXING_KEYS, startIndexing, useIndexJob } from "#features/repositories/api/repositories.ts";
import { PreviewAndIndex, settingsLinkId } from "./preview-and-index.tsx";
import classes from "./repository-table.module.css";

export function RepositoryTable({ repositories, admin }: { readonly repositories: readonly Repository[]; readonly admin: boolean }) {
  return (
    <DataTable
      label="Repositories"
      minWidth={640}
      rows={repositories}
      rowKey={({ id }) => id}
      columns={[
        { header: "Repository", render: (repository) => <NameAndSource repository={repository} /> },
        { header: "Status", width: 180, render: (repository) => <RepositoryState repository={repository} /> },
        {
          header: "Commit",
          render: ({ full_name: repo, indexed_commit: commit }) =>
            commit === null ? (
              <NoValue />
            ) : (
              <CommitLink repo={repo} refName={undefined} commit={commit}>
                {commit.slice(0, 8)}
              </CommitLink>
            ),
        },
        {
          header: "Files",
          align: "right",
          render: ({ files, indexed_commit: commit }) => (commit === null ? <NoValue /> : formatCount(files)),
        },
        {
          header: "Chunks",
          align: "right",
          className: classes.wide,
          render: ({ chunks, indexed_commit: commit }) => (commit === null ? <NoValue /> : formatCount(chunks)),
        },
        { header: "Actions", isHidden: true, render: (repository) => <Actions repository={repository} admin={admin} /> },
      ]}
    />
  );
}

function NameAndSource({ repository }: { readonly repository: Repository }) {
  return (
    <>
      {repository.indexed_commit === null ? (
        <Text fw={550}>{repository.full_name}</Text>
      ) : (
        <Anchor component={Link} {...codeLink(repository.full_name)} fw={550}>
          {repository.full_name}
        </Anchor>
      )}
      <Text size="xs" c="dimmed" className={classes.url}>
        {repository.clone_url}
      </Text>
      {repository.last_error !== null && <FailureReason message={repository.last_error} />}
    </>
  );
}

function Actions({ repository, admin }: { readonly repository: Repository; readonly admin: boolean }) {
  const { job, neverAskedFor } = useIndexJob(repository);
  return (
    <div className={classes.actions}>
      {(!neverAskedFor || !admin) && (
        <ReindexButton repository={repository} busy={job !== undefined || repository.index_status === "indexing"} />
      )}
      <PreviewAndIndex repository={repository} offered={neverAskedFor && admin} size="xs" />
      <Button
        component={Link}
        to="/code/repos/$repositoryId"
        params={{ repositoryId: repository.id }}
        id={settingsLinkId(repository)}
        size="xs"
        variant="default"
        // Whoever may not change it finds none there.
        aria-label={`${admin ? "Settings" : "Details"} of ${repository.full_name}`}
      >
        {admin ? "Settings" : "Details"}
      </Button>
    </div>
  );
}

const STATES: Readonly<Record<Repository["index_status"], { readonly tone: Tone; readonly label: string }>> = {
  pending: { tone: "busy", label: "Waiting" },
  indexing: { tone: "busy", label: "Indexing" },
  ready: { tone: "ok", label: "Ready" },
  failed: { tone: "bad", label: "Failed" },
};

function RepositoryState({ repository }: { readonly repository: Repository }) {
  const { job, neverAskedFor } = useIndexJob(repository);
  const { tone, label } = STATES[repository.index_status];
  if (neverAskedFor) {
    return <Status tone="idle">Not indexed yet</Status>;
  }
  if (job?.status === "running") {
    return <JobProgress job={job} />;
  }
  return (
    <>
      <Status tone={tone}>{label}</Status>
      {repository.legs.semantic.state !== "ready" && repository.indexed_at !== null && (
        <Dimmed size="xs" mt={2}>
          Search by meaning is {repository.legs.semantic.state}
          {repository.legs.semantic.reason !== undefined && `: ${repository.legs.semantic.reason}`}
        </Dimmed>
      )}
      {repository.indexed_at !== null && (
        <Dimmed size="xs" mt={2}>
          Indexed <TimeStamp at={repository.indexed_at} />
          {repository.behind > 0 && `, ${formatCount(repository.behind)} behind`}
        </Dimmed>
      )}
    </>
  );
}

function ReindexButton({ repository, busy }: { readonly repository: Repository; readonly busy: boolean }) {
  const verb = repository.indexed_commit === null ? "Index" : "Re-index";
  const start = useChange({
    send: () => startIndexing(repository.id, "full"),
    refreshes: INDEXING_KEYS,
    failed: `${repository.full_name} is not being indexed`,
  });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} />}
      loading={start.isPending}
      disabled={busy}
      aria-label={`${verb} ${repository.full_name}`}
      onClick={() => start.mutate()}
    >
      {verb}
    </Button>
  );
}
