import { Button, Group, Stack } from "@mantine/core";
import type { Repository } from "@sightline/code-index/contract";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { useChange } from "#http/use-change.ts";
import { formatCount } from "#ui/words/format.ts";
import { JobProgress } from "#ui/words/job-progress.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { Status, type Tone } from "#ui/words/status.tsx";
import { CommitLink } from "#ui/page/commit-link.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { INDEXING_KEYS, startIndexing, useIndexJob } from "#features/repositories/api/repositories.ts";
import classes from "./index-state.module.css";
import { PreviewAndIndex } from "./preview-and-index.tsx";

/** What is searchable of a repository: its branches, and what each leg knows. */
export function IndexState({ repository, admin }: { readonly repository: Repository; readonly admin: boolean }) {
  const { job, neverAskedFor } = useIndexJob(repository);
  return (
    <Stack gap="md">
      {neverAskedFor ? <Status tone="idle">Not indexed yet</Status> : <Searchable repository={repository} />}
      {job?.status === "running" && <JobProgress job={job} />}
      {job?.status === "queued" && <Status tone="busy">A job is queued</Status>}
      <Group gap="xs">
        <PreviewAndIndex repository={repository} offered={neverAskedFor && admin} />
        {(!neverAskedFor || !admin) && <IndexButtons repository={repository} busy={job !== undefined} />}
      </Group>
    </Stack>
  );
}

function Searchable({ repository }: { readonly repository: Repository }) {
  return (
    <>
      {repository.refs.length > 0 && <Refs repository={repository} />}
      {repository.indexed_commit === null ? (
        <Status tone="idle">Nothing is searchable yet</Status>
      ) : (
        <Group gap="lg" align="flex-start">
          <Leg name="Keyword" {...repository.legs.bm25} />
          <Leg name="Exact" {...repository.legs.exact} />
          <Leg name="Semantic" {...repository.legs.semantic} />
        </Group>
      )}
    </>
  );
}

function Refs({ repository }: { readonly repository: Repository }) {
  return (
    <DataTable
      label="Branches"
      minWidth={560}
      className={classes.refs ?? ""}
      rows={repository.refs}
      rowKey={({ name }) => name}
      columns={[
        {
          header: "Branch",
          render: (ref) => (
            <>
              {ref.name}
              {ref.is_default && (
                <Dimmed span size="xs">
                  {" "}
                  default
                </Dimmed>
              )}
            </>
          ),
        },
        {
          header: "Commit",
          render: ({ indexed_commit: commit, name, is_default: isDefault }) =>
            commit === null ? (
              "–"
            ) : (
              <CommitLink repo={repository.full_name} refName={isDefault ? undefined : name} commit={commit}>
                {commit.slice(0, 8)}
              </CommitLink>
            ),
        },
        { header: "Indexed", render: ({ indexed_at: at }) => (at === null ? "not yet" : <TimeStamp at={at} />) },
        { header: "Files", align: "right", render: ({ files }) => formatCount(files) },
        { header: "Chunks", align: "right", render: ({ chunks }) => formatCount(chunks) },
        { header: "Behind", align: "right", render: ({ behind }) => formatCount(behind) },
      ]}
    />
  );
}

const LEG_TONES: Readonly<Record<Repository["legs"]["semantic"]["state"], Tone>> = { ready: "ok", pending: "busy", degraded: "warn" };

function Leg({ name, state, reason }: { readonly name: string } & Repository["legs"]["semantic"]) {
  return (
    <div>
      <Status tone={LEG_TONES[state]}>
        {name}: {state}
      </Status>
      {reason !== undefined && (
        <Dimmed size="xs" maw="50ch">
          {reason}
        </Dimmed>
      )}
    </div>
  );
}

function IndexButtons({ repository, busy }: { readonly repository: Repository; readonly busy: boolean }) {
  const start = useChange({
    send: (mode: "full" | "incremental") => startIndexing(repository.id, mode),
    refreshes: INDEXING_KEYS,
    failed: "No job was queued",
  });
  return (
    <>
      <Button variant="default" loading={start.isPending} disabled={busy} onClick={() => start.mutate("incremental")}>
        Check for changes
      </Button>
      <Button variant="default" disabled={start.isPending || busy} onClick={() => start.mutate("full")}>
        Reindex everything
      </Button>
    </>
  );
}
