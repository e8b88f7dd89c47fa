import { Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { roleSchema } from "@sightline/identity/contract";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { ROLES } from "#features/users/account-state.ts";
import type { AccountFilter, Role } from "#features/users/api/accounts.ts";
import classes from "./account-filters.module.css";

const PAUSE_MS = 250;

export function AccountFilters({
  filter,
  onChange,
}: {
  readonly filter: AccountFilter;
  readonly onChange: (filter: AccountFilter) => void;
}) {
  const [search, setSearch] = useState(filter.search ?? "");
  const report = useDebouncedCallback(
    (typed: string) => onChange({ ...filter, search: typed.trim() === "" ? undefined : typed.trim() }),
    PAUSE_MS,
  );
  return (
    <search className={classes.filters}>
      <TextInput
        className={classes.search}
        aria-label="Name or e-mail address"
        placeholder="Filter by name or e-mail"
        leftSection={<IconSearch size={15} />}
        maxLength={200}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          report(event.currentTarget.value);
        }}
      />
      <Select
        className={classes.role}
        aria-label="Role"
        placeholder="Any role"
        clearable
        clearButtonProps={{ "aria-label": "Show any role" }}
        data={roleSchema.options.map((value) => ({ value, label: ROLES[value].label }))}
        value={filter.role ?? null}
        onChange={(role: Role | null) => onChange({ ...filter, role: role ?? undefined })}
      />
    </search>
  );
}
