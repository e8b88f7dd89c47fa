import { Button, Paper } from "@mantine/core";
import { IconFilterOff, IconListCheck } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { EmptyPanel, ListError, LoadingList } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { auditQuery } from "#features/audit/api/audit.ts";
import { type AuditFilter, isFiltered } from "#features/audit/audit-filter.ts";
import { AuditTable } from "./audit-table.tsx";
import type { Narrow } from "./entry-details.tsx";

export function AuditList({
  filter,
  onNarrow,
  onUnfiltered,
}: {
  readonly filter: AuditFilter;
  readonly onNarrow: Narrow;
  readonly onUnfiltered: () => void;
}) {
  const list = useInfiniteQuery(auditQuery(useApi(), filter));
  const entries = list.data?.pages.flatMap(({ entries: page }) => page);
  if (entries === undefined) {
    return list.error === null ? (
      <LoadingList />
    ) : (
      <ListError title="The audit could not be loaded" error={list.error} onRetry={() => void list.refetch()} />
    );
  }
  if (entries.length === 0) {
    return (
      <Paper>
        {isFiltered(filter) ? (
          <EmptyPanel icon={<IconFilterOff />} title="Nothing matches" description="No row fits all of these filters.">
            <Button variant="default" onClick={onUnfiltered}>
              Show everything
            </Button>
          </EmptyPanel>
        ) : (
          <EmptyPanel
            icon={<IconListCheck />}
            title="Nothing happened yet"
            description="Every login and every change of an account is written here."
          />
        )}
      </Paper>
    );
  }
  return (
    <>
      <Paper>
        <AuditTable entries={entries} onNarrow={onNarrow} />
      </Paper>
      <LoadMore list={list} />
    </>
  );
}
