import { Alert, Paper, Stack } from "@mantine/core";
import type { Project } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { PanelList, Section } from "#ui/kit/panel.tsx";
import { membersQuery } from "#features/projects/api/members.ts";
import { ROLES } from "#features/projects/project-roles.ts";
import { AddMember } from "./add-member.tsx";
import { MemberTable, type Viewer } from "./member-table.tsx";
import { OwnersOnly } from "./owners-only.tsx";

type MemberSettingsProps = {
  readonly project: Project;
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
        <Alert color="gray" title="Open to your whole organization">
          Everybody who is not listed here, or is a viewer, is an editor of this project. To give access to the members alone, change “Who
          may see it” under General.
        </Alert>
      )}
      {mayChange && (
        <Section title="Add a member">
          <AddMember project={project} members={members.data ?? []} isAdmin={viewer.isAdmin} />
          <Dimmed size="xs" mt="md">
            A viewer {ROLES.viewer.may}; an editor {ROLES.editor.may}; an owner {ROLES.owner.may}. Admins of your organization are owners of
            every project without being members.
          </Dimmed>
        </Section>
      )}
      <Paper component="section" aria-label="Members">
        <PanelList
          query={members}
          items={members.data}
          failed="The members could not be loaded"
          empty="No members yet; your organization's admins manage this project."
        >
          {(items) => <MemberTable project={project} members={items} viewer={viewer} onLeft={onLeft} />}
        </PanelList>
      </Paper>
    </Stack>
  );
}
