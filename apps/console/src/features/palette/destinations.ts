import { linkOptions } from "@tanstack/react-router";

/** A page that is always there. `keys` are typed one after the other anywhere outside of a field. */
export const DESTINATIONS = [
  { label: "Overview", words: "home health attention checklist", link: linkOptions({ to: "/" }), keys: "g h", adminsOnly: false },
  { label: "Search code", words: "find grep query", link: linkOptions({ to: "/code" }), keys: "g c", adminsOnly: false },
  { label: "Repositories", words: "register code index", link: linkOptions({ to: "/code/repos" }), keys: "g r", adminsOnly: false },
  { label: "Jobs", words: "indexing runs queue", link: linkOptions({ to: "/code/jobs" }), keys: "g j", adminsOnly: false },
  { label: "Webhooks", words: "deliveries push", link: linkOptions({ to: "/code/webhooks" }), keys: "g w", adminsOnly: false },
  {
    label: "Connect an assistant",
    words: "mcp developer token claude cursor codex",
    link: linkOptions({ to: "/code/connect" }),
    keys: "g a",
    adminsOnly: false,
  },
  { label: "Projects", words: "agents traces observability", link: linkOptions({ to: "/projects" }), keys: "g p", adminsOnly: false },
  {
    label: "Security",
    words: "2fa totp second factor authenticator sessions backup codes",
    link: linkOptions({ to: "/admin/security" }),
    keys: "g s",
    adminsOnly: false,
  },
  { label: "Change password", words: "account", link: linkOptions({ to: "/account/password" }), keys: undefined, adminsOnly: false },
  {
    label: "Credentials",
    words: "deploy key github app token ssh",
    link: linkOptions({ to: "/code/credentials" }),
    keys: undefined,
    adminsOnly: true,
  },
  { label: "Users", words: "accounts invite members admins", link: linkOptions({ to: "/admin/users" }), keys: "g u", adminsOnly: true },
  { label: "Audit", words: "log events who", link: linkOptions({ to: "/admin/audit" }), keys: undefined, adminsOnly: true },
] as const;
