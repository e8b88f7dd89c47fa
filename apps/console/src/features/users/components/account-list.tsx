import { Badge, Group, Text, Tooltip } from "@mantine/core";
import { type AccountItem, factorsOfAccount } from "@sightline/identity/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type AccountFilter, accountsQuery } from "#features/users/api/accounts.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ListOf, NoMatch } from "#ui/kit/list-states.tsx";
import { NoValue, Status } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { ROLES, findAccountState } from "#features/users/account-state.ts";
import { AccountMenu, type Intent } from "./account-menu.tsx";
import classes from "./account-list.module.css";

type AccountListProps = {
  readonly filter: AccountFilter;
  readonly ownId: string;
  readonly onIntent: (intent: Intent) => void;
  readonly onUnfiltered: () => void;
};

export function AccountList({ filter, ownId, onIntent, onUnfiltered }: AccountListProps) {
  const list = useInfiniteQuery(accountsQuery(filter));
  return (
    <ListOf
      list={list}
      items={list.data?.pages.flatMap(({ users }) => users)}
      failed="The users could not be loaded"
      empty={<NoMatch title="No user matches" description="Try fewer letters, or any role." all="Show all users" onAll={onUnfiltered} />}
    >
      {(accounts) => <AccountTable accounts={accounts} ownId={ownId} onIntent={onIntent} />}
    </ListOf>
  );
}

type AccountTableProps = { readonly accounts: readonly AccountItem[]; readonly ownId: string; readonly onIntent: (intent: Intent) => void };

function AccountTable({ accounts, ownId, onIntent }: AccountTableProps) {
  return (
    <DataTable
      label="Users"
      minWidth={740}
      highlightOnHover
      rows={accounts}
      rowKey={({ id }) => id}
      columns={[
        {
          header: "User",
          td: { className: classes.user ?? "" },
          render: (account) => <Person account={account} own={account.id === ownId} />,
        },
        { header: "Role", width: 95, render: ({ role }) => ROLES[role].label },
        { header: "Status", width: 165, render: (account) => <State account={account} /> },
        { header: "2FA", width: 130, render: (account) => <SecondFactor account={account} /> },
        { header: "Last login", width: 115, render: (account) => <TimeStamp at={account.last_login_at} none="never" /> },
        {
          header: "Actions",
          isHidden: true,
          width: 56,
          render: (account) => <AccountMenu account={account} own={account.id === ownId} onIntent={onIntent} />,
        },
      ]}
    />
  );
}

function Person({ account: { name, email, disabled_at: disabledAt }, own }: { readonly account: AccountItem; readonly own: boolean }) {
  return (
    <>
      <Group gap={6} wrap="nowrap">
        <Text span fw={550} className={classes.name} title={name} data-faded={disabledAt !== null || undefined}>
          {name}
        </Text>
        {own && (
          <Badge size="xs" variant="default">
            You
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" className={classes.name} title={email}>
        {email}
      </Text>
    </>
  );
}

function State({ account }: { readonly account: AccountItem }) {
  const { meaning, tone, label } = findAccountState(account);
  return (
    <Tooltip label={meaning}>
      <span>
        <Status tone={tone}>{label}</Status>
      </span>
    </Tooltip>
  );
}

function SecondFactor({ account }: { readonly account: AccountItem }) {
  if (factorsOfAccount(account).length > 0) {
    return <Status tone="ok">On</Status>;
  }
  return account.role === "admin" ? <Status tone="warn">Off</Status> : <NoValue />;
}
