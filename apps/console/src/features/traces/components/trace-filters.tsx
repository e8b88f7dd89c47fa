import { Select, TextInput } from "@mantine/core";
import { type ObservationStatus, observationStatusSchema } from "@sightline/observability/contract";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import type { TraceFilter } from "#features/traces/api/traces.ts";
import classes from "./trace-filters.module.css";
import { STATUSES } from "./trace-status.tsx";

const PAUSE_MS = 250;

export function TraceFilters({ filter, onChange }: { readonly filter: TraceFilter; readonly onChange: (filter: TraceFilter) => void }) {
  const [name, setName] = useState(filter.name ?? "");
  const report = useDebouncedCallback(
    (typed: string) => onChange({ ...filter, name: typed.trim() === "" ? undefined : typed.trim() }),
    PAUSE_MS,
  );
  return (
    <search className={classes.filters}>
      <TextInput
        className={classes.name}
        aria-label="Name"
        placeholder="Filter by name"
        leftSection={<IconSearch size={15} />}
        maxLength={200}
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
          report(event.currentTarget.value);
        }}
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
