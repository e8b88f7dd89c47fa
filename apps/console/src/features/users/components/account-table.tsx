import { Badge, Group, Table, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import type { AccountItem } from "@sightline/identity/contract";
import { Status } from "#ui/kit/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { ROLES, stateOf } from "#features/users/account-state.ts";
import { AccountMenu, type Intent } from "./account-menu.tsx";
import classes from "./account-table.module.css";

export function AccountTable({
  accounts,
  ownId,
  onIntent,
}: {
  readonly accounts: readonly AccountItem[];
  readonly ownId: string;
  readonly onIntent: (intent: Intent) => void;
}) {
  return (
    <Table.ScrollContainer minWidth={740} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Users" } }}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>User</Table.Th>
            <Table.Th w={95}>Role</Table.Th>
            <Table.Th w={165}>Status</Table.Th>
            <Table.Th w={130}>Second factor</Table.Th>
            <Table.Th w={115}>Last login</Table.Th>
            <Table.Th w={56}>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {accounts.map((account) => (
            <AccountRow key={account.id} account={account} own={account.id === ownId} onIntent={onIntent} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function AccountRow({
  account,
  own,
  onIntent,
}: {
  readonly account: AccountItem;
  readonly own: boolean;
  readonly onIntent: (intent: Intent) => void;
}) {
  const state = stateOf(account);
  return (
    <Table.Tr>
      <Table.Td className={classes.user}>
        <Group gap={6} wrap="nowrap">
          <Text span fw={550} className={classes.name} title={account.name} data-faded={account.disabled_at !== null || undefined}>
            {account.name}
          </Text>
          {own && (
            <Badge size="xs" variant="default">
              You
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" className={classes.name} title={account.email}>
          {account.email}
        </Text>
      </Table.Td>
      <Table.Td>{ROLES[account.role].label}</Table.Td>
      <Table.Td>
        <Tooltip label={state.meaning}>
          <span>
            <Status tone={state.tone}>{state.label}</Status>
          </span>
        </Tooltip>
      </Table.Td>
      <Table.Td>
        <SecondFactor account={account} />
      </Table.Td>
      <Table.Td>
        {account.last_login_at === null ? (
          <Text inherit c="dimmed">
            never
          </Text>
        ) : (
          <TimeStamp at={account.last_login_at} />
        )}
      </Table.Td>
      <Table.Td>
        <AccountMenu account={account} own={own} onIntent={onIntent} />
      </Table.Td>
    </Table.Tr>
  );
}

function SecondFactor({ account }: { readonly account: AccountItem }) {
  if (account.totp_enabled) {
    return <Status tone="ok">On</Status>;
  }
  return account.role === "admin" ? (
    <Status tone="warn">Off</Status>
  ) : (
    <Text inherit c="dimmed">
      –
    </Text>
  );
}
