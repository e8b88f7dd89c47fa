import { Select } from "@mantine/core";
import { jobStatusSchema } from "@sightline/code-index/contract";
import type { JobFilter, JobStatus } from "#features/jobs/api/jobs.ts";
import { STATUSES } from "#features/jobs/job-labels.ts";
import classes from "./job-filters.module.css";

export type RepositoryChoice = { readonly id: string; readonly full_name: string };

export function JobFilters({
  filter,
  repositories,
  onChange,
}: {
  readonly filter: JobFilter;
  readonly repositories: readonly RepositoryChoice[];
  readonly onChange: (filter: JobFilter) => void;
}) {
  return (
    <search className={classes.filters}>
      <Select
        className={classes.repository}
        aria-label="Repository"
        placeholder="Any repository"
        searchable
        clearable
        clearButtonProps={{ "aria-label": "Show any repository" }}
        nothingFoundMessage="No such repository"
        data={repositories.map(({ id, full_name: label }) => ({ value: id, label }))}
        value={filter.repositoryId ?? null}
        onChange={(id) => onChange({ ...filter, repositoryId: id ?? undefined })}
      />
      <Select
        className={classes.status}
        aria-label="Status"
        placeholder="Any status"
        clearable
        clearButtonProps={{ "aria-label": "Show any status" }}
        data={jobStatusSchema.options.map((value) => ({ value, label: STATUSES[value].label }))}
        value={filter.status ?? null}
        onChange={(status: JobStatus | null) => onChange({ ...filter, status: status ?? undefined })}
      />
    </search>
  );
}
