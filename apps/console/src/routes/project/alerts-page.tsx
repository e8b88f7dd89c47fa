import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { alertChannelsQuery, alertProjectQuery } from "#features/alerts/api/alerts.ts";
import { Channels } from "#features/alerts/components/channels.tsx";
import { History } from "#features/alerts/components/history.tsx";
import { Rules } from "#features/alerts/components/rules.tsx";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/alerts");

export function AlertsPage() {
  const { projectId } = route.useParams();
  const project = useQuery(alertProjectQuery(projectId));
  const channels = useQuery(alertChannelsQuery(projectId));
  return (
    <WidePage>
      <PageHeader title="Alerts" description="Get notified when agents fail, slow down, cost too much or go silent." />
      {(project.data === undefined || channels.data === undefined) && (
        <Unanswered
          query={{ error: project.error ?? channels.error, refetch: () => Promise.all([project.refetch(), channels.refetch()]) }}
          failed="The alerts could not be loaded"
        />
      )}
      {project.data !== undefined && channels.data !== undefined && (
        <Stack gap="lg">
          <Rules key={projectId} projectId={projectId} channels={channels.data} mayChange={project.data.my_role !== "viewer"} />
          <Channels projectId={projectId} channels={channels.data} mayChange={project.data.my_role === "owner"} />
          <History projectId={projectId} />
        </Stack>
      )}
    </WidePage>
  );
}
