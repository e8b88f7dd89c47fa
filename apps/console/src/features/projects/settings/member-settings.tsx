import { Alert, Paper, Stack, Text, Title } from "@mantine/core";
import type { Project } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { membersQuery } from "#features/projects/api/members.ts";
import { ROLES } from "#features/projects/project-roles.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { AddMember } from "./add-member.tsx";
import { MemberTable, type Viewer } from "./member-table.tsx";
import { OwnersOnly } from "./owners-only.tsx";

type MemberSettingsProps = {
  readonly project: Project;
  /** Who looks at this page. */
  readonly viewer: Viewer;
  /** They see the project no more. */
  readonly onLeft: () => void;
};

export function MemberSettings({ project, viewer, onLeft }: MemberSettingsProps) {
  const members = useQuery(membersQuery(project.id));
  const mayChange = project.my_role === "owner";
  return (
    <Stack gap="lg">
      {!mayChange && <OwnersOnly project={project} what="add and remove members" />}
      {project.access === "tenant" && (
        <Alert color="gray" title="Open to your whole organisation">
          Everybody who is not listed here, or is a viewer, is an editor of this project. To give access to the members alone, change “Who
          may see it” under General.
        </Alert>
      )}
      {mayChange && (
        <Paper p="lg" component="section">
          <Title order={2} mb="md">
            Add somebody
          </Title>
          <AddMember project={project} members={members.data ?? []} isAdmin={viewer.isAdmin} />
          <Text size="xs" c="dimmed" mt="md">
            A viewer {ROLES.viewer.may}; an editor {ROLES.editor.may}; an owner {ROLES.owner.may}. Admins of your organisation are owners of
            every project without being members.
          </Text>
        </Paper>
      )}
      <Paper component="section" aria-label="Members">
        {members.data === undefined && (
          <Unanswered
            query={members}
            failed="The members could not be loaded"
            loading={
              <Stack p="lg">
                <LoadingRows rows={3} />
              </Stack>
            }
          />
        )}
        {members.data?.length === 0 && (
          <Text p="lg" c="dimmed">
            Nobody is a member yet; admins of your organisation look after this project.
          </Text>
        )}
        {members.data !== undefined && members.data.length > 0 && (
          <MemberTable project={project} members={members.data} viewer={viewer} onLeft={onLeft} />
        )}
      </Paper>
    </Stack>
  );
}
