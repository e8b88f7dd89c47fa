import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type AuditFilter, NO_FILTER, toFilter, toQuery, toSearch, isFiltered } from "#features/audit/audit-filter.ts";
import { AuditFilters, type Person } from "#features/audit/components/audit-filters.tsx";
import { RangePicker } from "#ui/kit/range-picker.tsx";
import { SPANS, findSpan } from "#ui/time/time-range.ts";
import { ExportButton } from "#ui/kit/export-button.tsx";
import { VerificationResult, VerifyButton, useChainVerification } from "#features/audit/components/verify-chain.tsx";
import { accountQuery, accountsQuery } from "#features/users/api/accounts.ts";
import { useApi } from "#http/api-context.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";
import { IconListCheck } from "@tabler/icons-react";
import { EmptyPanel, ListOf, NoMatch } from "#ui/kit/list-states.tsx";
import { auditQuery } from "#features/audit/api/audit.ts";
import { AuditTable } from "#features/audit/components/audit-table.tsx";
import type { Narrow } from "#features/audit/components/entry-details.tsx";

const route = getRouteApi("/signed-in/admins/admin/audit");

export function AuditPage() {
  const api = useApi();
  const filter = toFilter(route.useSearch());
  const navigate = route.useNavigate();
  const verification = useChainVerification();
  const [peopleSearch, setPeopleSearch] = useState("");
  const people = usePeople(peopleSearch, filter.user);

  function show(next: AuditFilter): void {
    const isTyped = next.ip !== filter.ip || next.from !== filter.from || next.to !== filter.to;
    void navigate({ search: toSearch(next), replace: isTyped });
  }

  return (
    <Page>
      <PageHeader title="Audit" description="Every login and account change. Each row is linked to the one before by a hash.">
        <RangePicker
          withAll
          range={{ from: filter.from, to: filter.to }}
          spans={SPANS}
          onChange={({ span, from, to }) => show({ ...filter, to, from: hoursAgo(findSpan(span)?.hours) ?? from })}
        />
        <VerifyButton verification={verification} />
        <ExportButton
          label="Export as JSONL"
          name="sightline-audit"
          failed="The audit was not exported"
          download={(signal) =>
            api.download({ part: "identity", path: "/admin/audit/export", query: toQuery(filter), accept: "application/jsonl", signal })
          }
        />
      </PageHeader>
      <VerificationResult verification={verification} />
      <AuditFilters filter={filter} people={people} onPeopleSearch={setPeopleSearch} onChange={show} />
      <AuditList filter={filter} onNarrow={(to) => show({ ...filter, ...to })} onUnfiltered={() => show(NO_FILTER)} />
    </Page>
  );
}

/** So many hours ago, cut to the minute: the address names two instants. */
function hoursAgo(hours: number | undefined): string | undefined {
  return hours === undefined ? undefined : new Date(Math.floor(Date.now() / 60_000 - hours * 60) * 60_000).toISOString();
}

/** The accounts that the search finds, and the chosen one, who may have been deleted since. */
function usePeople(search: string, chosen: string | undefined): readonly Person[] {
  const found = useInfiniteQuery(accountsQuery({ search: search === "" ? undefined : search, role: undefined }));
  const one = useQuery({ ...accountQuery(chosen ?? ""), enabled: chosen !== undefined });
  const people: readonly Person[] = found.data?.pages.flatMap(({ users }) => users) ?? [];
  if (chosen === undefined || people.some(({ id }) => id === chosen)) {
    return people;
  }
  return [{ id: chosen, email: one.data?.id === chosen ? one.data.email : `user …${chosen.slice(-8)}` }, ...people];
}

type AuditListProps = { readonly filter: AuditFilter; readonly onNarrow: Narrow; readonly onUnfiltered: () => void };

function AuditList({ filter, onNarrow, onUnfiltered }: AuditListProps) {
  const list = useInfiniteQuery(auditQuery(filter));
  return (
    <ListOf
      list={list}
      items={list.data?.pages.flatMap(({ entries }) => entries)}
      failed="The audit could not be loaded"
      empty={
        isFiltered(filter) ? (
          <NoMatch title="Nothing matches" description="No row matches all of these filters." all="Show everything" onAll={onUnfiltered} />
        ) : (
          <EmptyPanel icon={<IconListCheck />} title="Nothing yet" description="Every login and account change is recorded here." />
        )
      }
    >
      {(entries) => <AuditTable entries={entries} onNarrow={onNarrow} />}
    </ListOf>
  );
}
