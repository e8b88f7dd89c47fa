import { Select } from "@mantine/core";
import { deliveryStatusSchema } from "@sightline/code-index/contract";
import type { DeliveryFilter, DeliveryStatus } from "#features/webhooks/api/deliveries.ts";
import { STATUSES } from "#features/webhooks/delivery-labels.ts";
import classes from "./delivery-filters.module.css";

export function DeliveryFilters({
  filter,
  repositories,
  onChange,
}: {
  readonly filter: DeliveryFilter;
  readonly repositories: readonly { readonly id: string; readonly full_name: string }[];
  readonly onChange: (filter: DeliveryFilter) => void;
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
        data={deliveryStatusSchema.options.map((value) => ({ value, label: STATUSES[value].label }))}
        value={filter.status ?? null}
        onChange={(status: DeliveryStatus | null) => onChange({ ...filter, status: status ?? undefined })}
      />
    </search>
  );
}
