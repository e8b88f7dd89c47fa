import { Select, TextInput } from "@mantine/core";
import { roleSchema } from "@sightline/identity/contract";
import { IconSearch } from "@tabler/icons-react";
import { useTypedFilter } from "#ui/query/use-typed-filter.ts";
import { ROLES } from "#features/users/account-state.ts";
import type { AccountFilter, Role } from "#features/users/api/accounts.ts";
import classes from "./account-filters.module.css";

type AccountFiltersProps = { readonly filter: AccountFilter; readonly onChange: (filter: AccountFilter) => void };

export function AccountFilters({ filter, onChange }: AccountFiltersProps) {
  const search = useTypedFilter(filter.search, (typed) => onChange({ ...filter, search: typed }));
  return (
    <search className={classes.filters}>
      <TextInput
        className={classes.search}
        aria-label="Name or e-mail address"
        placeholder="Filter by name or e-mail"
        leftSection={<IconSearch size={15} />}
        maxLength={200}
        value={search.text}
        onChange={(event) => search.type(event.currentTarget.value)}
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
