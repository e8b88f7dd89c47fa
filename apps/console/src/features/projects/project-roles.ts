import type { ProjectAccess, ProjectRole } from "@sightline/observability/contract";

export const ROLES: Readonly<Record<ProjectRole, { readonly label: string; readonly may: string }>> = {
  viewer: { label: "Viewer", may: "reads traces and dashboards" },
  editor: { label: "Editor", may: "also scores, saves views and sets alerts" },
  owner: { label: "Owner", may: "also changes the project, its keys, prices and members" },
};

export const ROLE_CHOICES = (["viewer", "editor", "owner"] as const).map((value) => ({ value, label: ROLES[value].label }));

export const ACCESS: Readonly<Record<ProjectAccess, { readonly label: string; readonly description: string }>> = {
  members: {
    label: "Only its members",
    description: "Those who are added here, and the admins of your organisation.",
  },
  tenant: {
    label: "Everybody in your organisation",
    description: "Who is not a member is an editor: sees every trace with its prompts and answers, scores, saves views and sets alerts.",
  },
};
