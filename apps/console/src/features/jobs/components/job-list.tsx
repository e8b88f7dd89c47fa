import { Button, Paper } from "@mantine/core";
import { IconFilterOff, IconStack2 } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "#http/api-context.ts";
import { EmptyPanel, ListError, LoadingList } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { type JobFilter, jobListQuery } from "#features/jobs/api/jobs.ts";
import { JobTable } from "./job-table.tsx";

export function JobList({ filter, onUnfiltered }: { readonly filter: JobFilter; readonly onUnfiltered: () => void }) {
  const list = useInfiniteQuery(jobListQuery(useApi(), filter));
  const jobs = list.data?.pages.flatMap(({ items }) => items);
  if (jobs === undefined) {
    return list.error === null ? (
      <LoadingList />
    ) : (
      <ListError title="The jobs could not be loaded" error={list.error} onRetry={() => void list.refetch()} />
    );
  }
  if (jobs.length === 0) {
    const filtered = filter.status !== undefined || filter.repositoryId !== undefined;
    return (
      <Paper>
        {filtered ? (
          <EmptyPanel icon={<IconFilterOff />} title="No job matches" description="Try it with any status and any repository.">
            <Button variant="default" onClick={onUnfiltered}>
              Show all jobs
            </Button>
          </EmptyPanel>
        ) : (
          <EmptyPanel
            icon={<IconStack2 />}
            title="No job yet"
            description="Each registration, push and change of settings queues one; it brings the index to the newest commit."
          >
            <Button component={Link} to="/code/repos" variant="default">
              All repositories
            </Button>
          </EmptyPanel>
        )}
      </Paper>
    );
  }
  return (
    <>
      <Paper>
        <JobTable jobs={jobs} now={list.dataUpdatedAt} />
      </Paper>
      <LoadMore list={list} />
    </>
  );
}
