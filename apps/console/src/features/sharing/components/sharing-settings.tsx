import { Button, Group, Paper, Switch, Text } from "@mantine/core";
import type { Project } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { endShareLink, shareLinksQuery, switchSharing } from "#features/sharing/api/share-links.ts";
import { useChange } from "#http/use-change.ts";
import { PanelHeader, PanelList } from "#ui/kit/panel.tsx";
import { ExactTime } from "#ui/time/time-stamp.tsx";

/** Whether links show traces of the project to others, and those that do. */
export function SharingSettings({ project: { id: projectId, is_sharing: isSharing, my_role: role } }: { readonly project: Project }) {
  const links = useQuery(shareLinksQuery(projectId));
  const send = (next: boolean) => switchSharing(projectId, next);
  const change = useChange({ send, refreshes: [["projects"]], failed: "Sharing was not switched" });
  const { queryKey } = shareLinksQuery(projectId);
  const end = useChange({ send: (id: string) => endShareLink(projectId, id), refreshes: [queryKey], failed: "The link still works" });
  const empty = "No links. They are made with Share on a trace’s page.";
  return (
    <Paper component="section">
      <PanelHeader title="Sharing" about="Links show a trace each to whoever has them. While they are off, all show nothing.">
        <Switch
          label="Links to traces"
          disabled={role !== "owner" || change.isPending}
          checked={isSharing}
          onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
        />
      </PanelHeader>
      <PanelList query={links} items={links.data} failed="The links could not be loaded" empty={empty}>
        {(items) =>
          items.map(({ id, trace_id: traceId, shows, expires_at: at }) => (
            <Group key={id} px="lg" pb="md" justify="space-between">
              <Text size="sm">
                <Link to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId }}>
                  Trace …{traceId.slice(-12)}
                </Link>{" "}
                ({shows.join(", ") || "figures"}), until <ExactTime at={at} />
              </Text>
              {role !== "viewer" && (
                <Button size="xs" variant="default" loading={end.isPending && end.variables === id} onClick={() => end.mutate(id)}>
                  End now
                </Button>
              )}
            </Group>
          ))
        }
      </PanelList>
    </Paper>
  );
}
