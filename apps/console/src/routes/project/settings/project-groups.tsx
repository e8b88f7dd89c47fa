import type { Project } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { adminsQuery } from "#features/auth/api/sso.ts";
import { useStepUp } from "#features/auth/step-up.ts";
import { GroupRights } from "#features/directory/components/group-rights.tsx";
import { membersQuery } from "#features/projects/api/members.ts";
import { ROLES } from "#features/projects/project-roles.ts";

const LEVELS = [
  { value: "read", label: ROLES.viewer.label },
  { value: "write", label: ROLES.editor.label },
  { value: "admin", label: ROLES.owner.label },
] as const;

/** The directory's groups that are in the project beside its members; for admins. */
export function ProjectGroups({ project: { id, access } }: { readonly project: Project }) {
  const withStepUp = useStepUp();
  const admins = useQuery(adminsQuery);
  const members = useQuery(membersQuery(id));
  const byRole = (["owner", "editor", "viewer"] as const).map((role) => ({
    why: `Member: ${ROLES[role].label.toLowerCase()}`,
    people: (members.data ?? []).flatMap(({ role: has, person }) => (has === role && person?.disabled === false ? [person] : [])),
  }));
  return (
    <GroupRights
      of={{ kind: "project", id }}
      isOpen={access === "tenant" ? "always" : "never"}
      levels={LEVELS}
      others={[{ why: "Admin of your organization", people: admins.data ?? [] }, ...byRole]}
      withStepUp={withStepUp}
    />
  );
}
