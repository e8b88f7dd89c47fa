import { Button, Paper } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { EmptyPanel, ListError, LoadingList } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { type AccountFilter, accountsQuery } from "#features/users/api/accounts.ts";
import type { Intent } from "./account-menu.tsx";
import { AccountTable } from "./account-table.tsx";

export function AccountList({
  filter,
  ownId,
  onIntent,
  onUnfiltered,
}: {
  readonly filter: AccountFilter;
  readonly ownId: string;
  readonly onIntent: (intent: Intent) => void;
  readonly onUnfiltered: () => void;
}) {
  const list = useInfiniteQuery(accountsQuery(useApi(), filter));
  const accounts = list.data?.pages.flatMap(({ users }) => users);
  if (accounts === undefined) {
    return list.error === null ? (
      <LoadingList />
    ) : (
      <ListError title="The users could not be loaded" error={list.error} onRetry={() => void list.refetch()} />
    );
  }
  if (accounts.length === 0) {
    return (
      <Paper>
        <EmptyPanel icon={<IconFilterOff />} title="No user matches" description="Try it with fewer letters, or with any role.">
          <Button variant="default" onClick={onUnfiltered}>
            Show all users
          </Button>
        </EmptyPanel>
      </Paper>
    );
  }
  return (
    <>
      <Paper>
        <AccountTable accounts={accounts} ownId={ownId} onIntent={onIntent} />
      </Paper>
      <LoadMore list={list} />
    </>
  );
}
