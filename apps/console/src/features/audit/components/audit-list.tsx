import { Button } from "@mantine/core";
import { IconFilterOff, IconListCheck } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { EmptyPanel, ListOf } from "#ui/kit/list-states.tsx";
import { auditQuery } from "#features/audit/api/audit.ts";
import { type AuditFilter, isFiltered } from "#features/audit/audit-filter.ts";
import { AuditTable } from "./audit-table.tsx";
import type { Narrow } from "./entry-details.tsx";

type AuditListProps = { readonly filter: AuditFilter; readonly onNarrow: Narrow; readonly onUnfiltered: () => void };

export function AuditList({ filter, onNarrow, onUnfiltered }: AuditListProps) {
  const list = useInfiniteQuery(auditQuery(filter));
  return (
    <ListOf
      list={list}
      items={list.data?.pages.flatMap(({ entries }) => entries)}
      failed="The audit could not be loaded"
      empty={
        isFiltered(filter) ? (
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
        )
      }
    >
      {(entries) => <AuditTable entries={entries} onNarrow={onNarrow} />}
    </ListOf>
  );
}
