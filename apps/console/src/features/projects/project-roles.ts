import type { ProjectAccess, ProjectRole } from "@sightline/observability/contract";

export const ROLES: Readonly<Record<ProjectRole, { readonly label: string; readonly may: string }>> = {
  viewer: { label: "Viewer", may: "reads traces and dashboards" },
  editor: { label: "Editor", may: "also scores and tags, saves views and charts, and sets alerts" },
  owner: { label: "Owner", may: "also deletes traces and changes the project, its keys, prices and members" },
};

export const ROLE_CHOICES = (["viewer", "editor", "owner"] as const).map((value) => ({ value, label: ROLES[value].label }));

export const ACCESS: Readonly<Record<ProjectAccess, { readonly label: string; readonly description: string }>> = {
  members: {
    label: "Only its members",
    description: "People added here, and your organization's admins.",
  },
  tenant: {
    label: "Everybody in your organization",
    description:
      "Non-members get editor access: they can see all traces with their prompts and answers, score and tag them, save views and charts, and set up alerts.",
  },
};
