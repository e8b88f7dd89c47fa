import type { LinkProps } from "@tanstack/react-router";

type Destination = {
  readonly label: string;
  /** Further words by which it is found. */
  readonly words: string;
  readonly to: NonNullable<LinkProps["to"]>;
  /** Typed one after the other anywhere outside of a field. */
  readonly keys?: string;
  readonly adminsOnly?: boolean;
};

/** The pages that are always there. */
export const DESTINATIONS: readonly Destination[] = [
  { label: "Overview", words: "home health attention checklist", to: "/", keys: "g h" },
  { label: "Search code", words: "find grep query", to: "/code", keys: "g c" },
  { label: "Repositories", words: "register code index", to: "/code/repos", keys: "g r" },
  { label: "Jobs", words: "indexing runs queue", to: "/code/jobs", keys: "g j" },
  { label: "Webhooks", words: "deliveries push", to: "/code/webhooks", keys: "g w" },
  { label: "Connect an assistant", words: "mcp developer token claude cursor codex", to: "/code/connect", keys: "g a" },
  { label: "Projects", words: "agents traces observability", to: "/projects", keys: "g p" },
  { label: "Security", words: "2fa totp second factor authenticator sessions backup codes passkeys", to: "/admin/security", keys: "g s" },
  { label: "Change password", words: "account", to: "/account/password" },
  { label: "Credentials", words: "deploy key github app token ssh", to: "/code/credentials", adminsOnly: true },
  { label: "Users", words: "accounts invite members admins", to: "/admin/users", keys: "g u", adminsOnly: true },
  { label: "Audit", words: "log events who", to: "/admin/audit", adminsOnly: true },
];
