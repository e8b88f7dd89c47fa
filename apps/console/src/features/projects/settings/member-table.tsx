import { Badge, Button, Group, Select, Text } from "@mantine/core";
import { type Project, type ProjectRole, projectRoleSchema } from "@sightline/observability/contract";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { useChange } from "#http/use-change.ts";
import { type NamedMember, formatMember, putMember, removeMember } from "#features/projects/api/members.ts";
import { ROLES, ROLE_CHOICES } from "#features/projects/project-roles.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";

export type Viewer = { readonly id: string; readonly isAdmin: boolean };

type MemberTableProps = {
  readonly project: Project;
  readonly members: readonly NamedMember[];
  readonly viewer: Viewer;
  readonly onLeft: () => void;
};

export function MemberTable({ project, members, viewer, onLeft }: MemberTableProps) {
  const [leaving, setLeaving] = useState<NamedMember>();
  const mayChange = project.my_role === "owner";
  return (
    <>
      <DataTable
        label="Members"
        minWidth={560}
        rows={members}
        rowKey={(member) => member.user_id}
        columns={[
          { header: "Member", render: (member) => <Person member={member} isSelf={member.user_id === viewer.id} /> },
          {
            header: "Role",
            width: 150,
            render: (member) => (mayChange ? <RoleOf project={project} member={member} /> : ROLES[member.role].label),
          },
          { header: "Added", width: 120, render: (member) => <TimeStamp at={member.added_at} /> },
          {
            header: "Actions",
            isHidden: true,
            width: 120,
            td: { ta: "right" },
            render: (member) => {
              const isSelf = member.user_id === viewer.id;
              return (
                (mayChange || isSelf) && (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={isSelf ? "Leave the project" : `Remove ${formatMember(member)}`}
                    onClick={() => setLeaving(member)}
                  >
                    {isSelf ? "Leave" : "Remove"}
                  </Button>
                )
              );
            },
          },
        ]}
      />
      <RemoveModal
        project={project}
        member={leaving}
        viewer={viewer}
        onClose={() => setLeaving(undefined)}
        onRemoved={(userId) => {
          if (userId === viewer.id && !viewer.isAdmin && project.access === "members") {
            onLeft();
          }
        }}
      />
    </>
  );
}

function Person({ member, isSelf }: { readonly member: NamedMember; readonly isSelf: boolean }) {
  const { person } = member;
  if (person === undefined) {
    return (
      <>
        <Text c="dimmed">Account deleted</Text>
        <Dimmed size="xs" ff="monospace">
          {member.user_id}
        </Dimmed>
      </>
    );
  }
  return (
    <>
      <Group gap={6} wrap="nowrap">
        <Text span fw={550}>
          {person.name}
        </Text>
        {isSelf && (
          <Badge size="xs" variant="default">
            You
          </Badge>
        )}
        {person.disabled && (
          <Badge size="xs" variant="default">
            Disabled
          </Badge>
        )}
      </Group>
      <Dimmed size="xs">{person.email}</Dimmed>
    </>
  );
}

function RoleOf({ project, member }: { readonly project: Project; readonly member: NamedMember }) {
  const change = useChange({
    send: (role: ProjectRole) => putMember(project.id, member.user_id, role),
    // Their own role may be what changed, and with it the whole page.
    refreshes: [["projects"]],
    failed: "The role stays as it was",
  });
  return (
    <Select
      size="xs"
      aria-label={`Role of ${formatMember(member)}`}
      data={ROLE_CHOICES}
      value={change.isPending ? change.variables : member.role}
      disabled={change.isPending}
      allowDeselect={false}
      onChange={(role) => change.mutate(projectRoleSchema.catch(member.role).parse(role))}
    />
  );
}

type RemoveModalProps = Pick<MemberTableProps, "project" | "viewer"> & {
  readonly member: NamedMember | undefined;
  readonly onClose: () => void;
  readonly onRemoved: (userId: string) => void;
};

function RemoveModal({ project, member, viewer, onClose, onRemoved }: RemoveModalProps) {
  const isSelf = member?.user_id === viewer.id;
  const remove = useChange({
    send: (userId: string) => removeMember(project.id, userId),
    refreshes: [["projects"]],
    failed: isSelf ? "You are still a member" : "They are still a member",
    onSuccess: (_answer, userId) => onRemoved(userId),
    onSettled: onClose,
  });
  return (
    <ConfirmDialog
      opened={member !== undefined}
      title={isSelf ? "Leave this project?" : `Remove ${member === undefined ? "" : formatMember(member)}?`}
      change={remove}
      cancel={isSelf ? "Stay" : "Keep them"}
      confirm={isSelf ? "Leave" : "Remove"}
      onConfirm={() => member !== undefined && remove.mutate(member.user_id)}
      onClose={onClose}
    >
      <Text>{consequenceOf(project, isSelf, viewer)}</Text>
    </ConfirmDialog>
  );
}

function consequenceOf({ access }: Project, isSelf: boolean, viewer: Viewer): string {
  if (access === "tenant") {
    return `The project is open to your organization: ${isSelf ? "you stay" : "they stay"} an editor of it.`;
  }
  if (isSelf) {
    return viewer.isAdmin ? "As an admin you can still see it." : "You lose access to its traces until an owner adds you again.";
  }
  return "They lose access to its traces immediately, unless they are an admin of your organization.";
}
