import { Button, Select, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { roleSchema } from "@sightline/identity/contract";
import { IconUserPlus, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { typedInto } from "#ui/kit/typed-into.ts";
import { loginOptionsQuery } from "#features/auth/api/password-reset.ts";
import { useMe } from "#features/auth/api/me.ts";
import { useStepUp } from "#features/auth/step-up.ts";
import type { AccountFilter, Role } from "#features/users/api/accounts.ts";
import { AccountDialogs, type DialogSubject } from "#features/users/components/account-dialogs.tsx";
import { AccountList } from "#features/users/components/account-list.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";
import { useTypedFilter } from "#ui/query/use-typed.ts";
import { ROLES } from "#features/users/account-state.ts";
import classes from "#features/users/components/account-filters.module.css";

const route = getRouteApi("/signed-in/admins/admin/users");

export function UsersPage() {
  const withStepUp = useStepUp();
  const me = useMe();
  const { data: options } = useQuery(loginOptionsQuery);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [subject, setSubject] = useState<DialogSubject>();
  const [opened, { open, close }] = useDisclosure(false);
  const filter: AccountFilter = { search: search.q, role: roleSchema.safeParse(search.role).data };

  function show(next: DialogSubject): void {
    setSubject(next);
    open();
  }

  return (
    <Page>
      <PageHeader title="Users" description="Who can log in, and what they can do. Every change is recorded in the audit log.">
        <Button leftSection={<IconUserPlus size={16} />} onClick={() => show({ kind: "create" })}>
          Create a user
        </Button>
      </PageHeader>
      <AccountFilters
        filter={filter}
        onChange={({ search: q, role }) => void navigate({ search: { q, role }, replace: q !== filter.search })}
      />
      <AccountList filter={filter} ownId={me.id} onIntent={show} onUnfiltered={() => void navigate({ search: {} })} />
      <AccountDialogs
        subject={subject}
        opened={opened}
        ownId={me.id}
        mailWorks={options?.password_reset}
        withStepUp={withStepUp}
        onClose={close}
      />
    </Page>
  );
}

type AccountFiltersProps = { readonly filter: AccountFilter; readonly onChange: (filter: AccountFilter) => void };

function AccountFilters({ filter, onChange }: AccountFiltersProps) {
  const search = useTypedFilter(filter.search, (typed) => onChange({ ...filter, search: typed }));
  return (
    <search className={classes.filters}>
      <TextInput
        className={classes.search}
        aria-label="Name or e-mail address"
        placeholder="Filter by name or e-mail"
        leftSection={<IconSearch size={15} />}
        maxLength={200}
        {...typedInto(search.text, (text) => search.type(text))}
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
