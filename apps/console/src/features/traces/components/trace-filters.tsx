import { Select, TextInput } from "@mantine/core";
import { type ObservationStatus, observationStatusSchema } from "@sightline/observability/contract";
import { IconSearch } from "@tabler/icons-react";
import { useTypedFilter } from "#ui/use-typed-filter.ts";
import type { TraceFilter } from "#features/traces/api/traces.ts";
import classes from "./trace-filters.module.css";
import { STATUSES } from "./trace-status.tsx";

export function TraceFilters({ filter, onChange }: { readonly filter: TraceFilter; readonly onChange: (filter: TraceFilter) => void }) {
  const name = useTypedFilter(filter.name, (typed) => onChange({ ...filter, name: typed }));
  return (
    <search className={classes.filters}>
      <TextInput
        className={classes.name}
        aria-label="Name"
        placeholder="Filter by name"
        leftSection={<IconSearch size={15} />}
        maxLength={200}
        value={name.text}
        onChange={(event) => name.type(event.currentTarget.value)}
      />
      <Select
        className={classes.status}
        aria-label="Status"
        placeholder="Any status"
        clearable
        clearButtonProps={{ "aria-label": "Show any status" }}
        data={observationStatusSchema.options.map((value) => ({ value, label: STATUSES[value].label }))}
        value={filter.status ?? null}
        onChange={(status: ObservationStatus | null) => onChange({ ...filter, status: status ?? undefined })}
      />
    </search>
  );
}
