import { settingsOf } from "./code-pages.ts";
import { REVIEWED_REPOSITORY, type ReviewedPage } from "./page.ts";
import { inNewestTrace, inProject } from "./project-pages.ts";

/** What a member of the organization sees who is a viewer of the project: nothing that they may not do. */
export const viewerPages: readonly ReviewedPage[] = Object.entries({
  overview: "/",
  security: "/admin/security",
  users: "/admin/users",
  code: "/code?q=retry",
  repositories: "/code/repos",
  repository: settingsOf(REVIEWED_REPOSITORY),
  jobs: "/code/jobs",
  webhooks: "/code/webhooks",
  credentials: "/code/credentials",
  connect: "/code/connect",
  projects: "/projects",
  traces: inProject("traces"),
  dashboard: inProject("dashboards?span=7d"),
  alerts: inProject("alerts"),
  "dead-letters": inProject("settings?section=dead-letters"),
  "lost-events": inProject("settings?section=gaps"),
  settings: inProject("settings"),
  members: inProject("settings?section=members"),
  keys: inProject("settings?section=keys"),
  masking: inProject("settings?section=masking"),
  prices: inProject("settings?section=prices"),
  trace: inNewestTrace("status:success"),
}).map(([name, address]) => ({ name: `viewer-${name}`, address, as: "viewer", states: ["data"] }));
