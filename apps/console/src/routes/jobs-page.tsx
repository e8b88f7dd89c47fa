import { jobStatusSchema } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { JobFilter } from "#features/jobs/api/jobs.ts";
import { STATUSES } from "#features/jobs/job-labels.ts";
import { JobList } from "#features/jobs/components/job-list.tsx";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";
import { RepositoryFilters } from "#ui/kit/repository-filters.tsx";

const route = getRouteApi("/signed-in/code/jobs");

const CHOICES = jobStatusSchema.options.map((value) => ({ value, label: STATUSES[value].label }));

export function JobsPage() {
  const { status, repository } = route.useSearch();
  const navigate = route.useNavigate();
  const repositories = useQuery(repositoriesQuery);
  const filter: JobFilter = { status: jobStatusSchema.safeParse(status).data, repositoryId: repository };

  function show({ status: wanted, repositoryId }: JobFilter): void {
    void navigate({ search: { status: wanted, repository: repositoryId } });
  }

  return (
    <Page>
      <PageHeader
        title="Jobs"
        description="Each job brings a repository's index to its newest commit; the current index serves until then."
      />
      <RepositoryFilters filter={filter} repositories={repositories} statuses={CHOICES} onChange={show} />
      <JobList filter={filter} onUnfiltered={() => show({ status: undefined, repositoryId: undefined })} />
    </Page>
  );
}
