import { Alert, Text } from "@mantine/core";
import type { Project } from "@sightline/observability/contract";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ComponentProps, ReactNode } from "react";
import { membersQuery, formatMember } from "#features/projects/api/members.ts";
import { ROLES } from "#features/projects/project-roles.ts";

const NAMED = 5;

/** Why something can't be changed here, and who can. */
export function OwnersOnly({ project, what }: { readonly project: Project; readonly what: string }) {
  const { data: members } = useQuery(membersQuery(project.id));
  const owners = (members ?? []).filter(({ role, person }) => role === "owner" && person !== undefined).map(formatMember);
  return (
    <Alert icon={<IconLock size={18} />} color="gray" title={`You are ${withArticle(ROLES[project.my_role].label)} of this project`}>
      <Text size="sm">
        Only its owners {what}.{" "}
        {owners.length === 0
          ? "Ask an admin of your organization."
          : `Ask ${owners.slice(0, NAMED).join(", ")}${owners.length > NAMED ? " or another owner" : ""}, or an admin of your organization.`}
      </Text>
    </Alert>
  );
}

/** What owners alone see, and for others whom to ask. */
export function ForOwners({ project, what, children }: ComponentProps<typeof OwnersOnly> & { readonly children: ReactNode }) {
  return project.my_role === "owner" ? children : <OwnersOnly project={project} what={what} />;
}

function withArticle(label: string): string {
  const word = label.toLowerCase();
  return `${/^[aeo]/.test(word) ? "an" : "a"} ${word}`;
}
