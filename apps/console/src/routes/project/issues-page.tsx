import { SegmentedControl } from "@mantine/core";
import { issueStateSchema } from "@sightline/observability/contract";
import { IconBug } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { IssueList } from "#features/issues/components/issue-list.tsx";
import { EmptyPanel } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/issues");

const STATES = [
  { value: "open", label: "Open" },
  { value: "ignored", label: "Ignored" },
  { value: "closed", label: "Closed" },
];
const SORTS = [
  { value: "last_seen", label: "Last seen" },
  { value: "count", label: "Most traces" },
];

export function IssuesPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const state = issueStateSchema.safeParse(search.state).data ?? "open";
  const sort = search.sort === "count" ? "count" : "last_seen";
  const change = (changed: { readonly state?: string; readonly sort?: string }) =>
    void navigate({ search: { ...search, ...changed }, replace: true, resetScroll: false });
  return (
    <WidePage>
      <PageHeader
        title="Issues"
        description="What fails, each way of failing once. One that comes back after it was closed opens by itself."
      >
        <SegmentedControl aria-label="State" data={STATES} value={state} onChange={(value) => change({ state: value })} />
        <SegmentedControl aria-label="Order" data={SORTS} value={sort} onChange={(value) => change({ sort: value })} />
      </PageHeader>
      <IssueList
        key={projectId}
        projectId={projectId}
        asked={{ state, sort }}
        empty={
          state === "open" ? (
            <EmptyPanel
              icon={<IconBug />}
              title="No open issues"
              description="Traces that fail are grouped by where and how they failed, within seconds. Failures that your agent caught are none."
            />
          ) : (
            <EmptyPanel
              icon={<IconBug />}
              title={state === "closed" ? "No closed issues" : "No ignored issues"}
              description={state === "closed" ? "Close an issue when a change mends it." : "Ignore an issue that is none, or not now."}
            />
          )
        }
      />
    </WidePage>
  );
}
