import { Anchor, Button, Table, Text, VisuallyHidden } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Job, Repository } from "@sightline/code-index/contract";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "#http/api-context.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { FailureReason } from "#ui/words/failure-reason.tsx";
import { formatCount } from "#ui/words/format.ts";
import { JobProgress } from "#ui/words/job-progress.tsx";
import { Status, type Tone } from "#ui/kit/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { useIndexJob } from "#features/repositories/api/index-job.ts";
import { activeJobsQuery, repositoriesQuery, startIndexing } from "#features/repositories/api/repositories.ts";
import { PreviewAndIndex, settingsLinkId } from "./preview-and-index.tsx";
import classes from "./repository-table.module.css";

export function RepositoryTable({ repositories, admin }: { readonly repositories: readonly Repository[]; readonly admin: boolean }) {
  return (
    <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Repositories" } }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Repository</Table.Th>
            <Table.Th w={180}>Status</Table.Th>
            <Table.Th>Commit</Table.Th>
            <Table.Th ta="right">Files</Table.Th>
            <Table.Th ta="right" className={classes.wide}>
              Chunks
            </Table.Th>
            <Table.Th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {repositories.map((repository) => (
            <RepositoryRow key={repository.id} repository={repository} admin={admin} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function RepositoryRow({ repository, admin }: { readonly repository: Repository; readonly admin: boolean }) {
  const { job, neverAskedFor } = useIndexJob(repository);
  const [owner = "", repo = ""] = repository.full_name.split("/");
  return (
    <Table.Tr>
      <Table.Td>
        {repository.indexed_commit === null ? (
          <Text fw={550}>{repository.full_name}</Text>
        ) : (
          <Anchor component={Link} to="/code/$owner/$repo" params={{ owner, repo }} fw={550}>
            {repository.full_name}
          </Anchor>
        )}
        <Text size="xs" c="dimmed" className={classes.url}>
          {repository.clone_url}
        </Text>
        {repository.last_error !== null && <FailureReason message={repository.last_error} />}
      </Table.Td>
      <Table.Td>
        {neverAskedFor ? <Status tone="idle">Not indexed yet</Status> : <RepositoryState repository={repository} job={job} />}
      </Table.Td>
      <Table.Td>
        {repository.indexed_commit === null ? (
          <Text inherit c="dimmed">
            –
          </Text>
        ) : (
          <CopyableId value={repository.indexed_commit} label="commit" />
        )}
      </Table.Td>
      <Table.Td ta="right">{formatCount(repository.files)}</Table.Td>
      <Table.Td ta="right" className={classes.wide}>
        {formatCount(repository.chunks)}
      </Table.Td>
      <Table.Td>
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
      </Table.Td>
    </Table.Tr>
  );
}

const STATES: Readonly<Record<Repository["index_status"], { readonly tone: Tone; readonly label: string }>> = {
  pending: { tone: "busy", label: "Waiting" },
  indexing: { tone: "busy", label: "Indexing" },
  ready: { tone: "ok", label: "Ready" },
  failed: { tone: "bad", label: "Failed" },
};

function RepositoryState({ repository, job }: { readonly repository: Repository; readonly job: Job | undefined }) {
  const { tone, label } = STATES[repository.index_status];
  if (job?.status === "running") {
    return <JobProgress job={job} />;
  }
  return (
    <>
      <Status tone={tone}>{label}</Status>
      {repository.legs.semantic.state !== "ready" && repository.indexed_at !== null && (
        <Text size="xs" c="dimmed" mt={2}>
          Search by meaning is {repository.legs.semantic.state}
          {repository.legs.semantic.reason !== undefined && `: ${repository.legs.semantic.reason}`}
        </Text>
      )}
      {repository.indexed_at !== null && (
        <Text size="xs" c="dimmed" mt={2}>
          Indexed <TimeStamp at={repository.indexed_at} />
          {repository.behind > 0 && `, ${formatCount(repository.behind)} behind`}
        </Text>
      )}
    </>
  );
}

function ReindexButton({ repository, busy }: { readonly repository: Repository; readonly busy: boolean }) {
  const api = useApi();
  const queries = useQueryClient();
  const verb = repository.indexed_commit === null ? "Index" : "Re-index";
  const start = useMutation({
    mutationFn: () => startIndexing(api, repository.id, "full"),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: repositoriesQuery(api).queryKey }),
        queries.invalidateQueries({ queryKey: activeJobsQuery(api).queryKey }),
      ]),
    onError: (error) => notifications.show({ color: "red", title: `${repository.full_name} is not being indexed`, message: error.message }),
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
