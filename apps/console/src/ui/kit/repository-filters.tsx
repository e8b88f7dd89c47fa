import { Select } from "@mantine/core";
import { nothingToChoose } from "./nothing-to-choose.ts";
import classes from "./repository-filters.module.css";

type Repositories = {
  readonly data: readonly { readonly id: string; readonly full_name: string }[] | undefined;
  readonly error: Error | null;
};
type Filter<State extends string> = { readonly status: State | undefined; readonly repositoryId: string | undefined };

/** Narrows a list down to one repository and one status. */
export function RepositoryFilters<State extends string>({
  filter,
  repositories,
  statuses,
  onChange,
}: {
  readonly filter: Filter<State>;
  /** The repositories to choose from, as far as they are loaded. */
  readonly repositories: Repositories;
  /** The filters there are, in the order in which they are offered. */
  readonly statuses: readonly { readonly value: State; readonly label: string }[];
  readonly onChange: (filter: Filter<State>) => void;
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
        nothingFoundMessage={nothingToChoose(repositories, "No such repository")}
        data={repositories.data?.map(({ id, full_name: label }) => ({ value: id, label })) ?? []}
        value={filter.repositoryId ?? null}
        onChange={(id) => onChange({ ...filter, repositoryId: id ?? undefined })}
      />
      <Select
        className={classes.status}
        aria-label="Status"
        placeholder="Any status"
        clearable
        clearButtonProps={{ "aria-label": "Show any status" }}
        data={statuses}
        value={filter.status ?? null}
        onChange={(status: State | null) => onChange({ ...filter, status: status ?? undefined })}
      />
    </search>
  );
}
