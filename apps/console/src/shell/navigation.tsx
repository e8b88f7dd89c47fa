import {
  IconActivity,
  IconGitBranch,
  IconHome,
  IconKey,
  IconListSearch,
  IconPlugConnected,
  IconSearch,
  IconShieldLock,
  IconStack2,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";
import { Link, linkOptions } from "@tanstack/react-router";
import { KeySequence } from "#features/palette/components/key-sequence.tsx";
import { DESTINATIONS } from "#features/palette/destinations.ts";
import { useSingleKeys } from "#ui/keys/single-keys.ts";
import { useMe } from "#features/auth/api/me.ts";
import classes from "./navigation.module.css";

const GROUPS = [
  { label: undefined, adminsOnly: false, entries: [{ label: "Overview", icon: IconHome, link: linkOptions({ to: "/" }), exact: true }] },
  {
    // Who only reads code finds jobs and deliveries from the repository that they are of.
    label: "Code",
    adminsOnly: false,
    entries: [
      { label: "Search", icon: IconSearch, link: linkOptions({ to: "/code" }), exact: true },
      { label: "Repositories", icon: IconGitBranch, link: linkOptions({ to: "/code/repos" }), exact: false },
      { label: "Jobs", icon: IconStack2, link: linkOptions({ to: "/code/jobs" }), exact: false, adminsOnly: true },
      { label: "Webhooks", icon: IconWebhook, link: linkOptions({ to: "/code/webhooks" }), exact: false, adminsOnly: true },
      { label: "Connect", icon: IconPlugConnected, link: linkOptions({ to: "/code/connect" }), exact: false },
    ],
  },
  {
    label: "Agents",
    adminsOnly: false,
    entries: [{ label: "Projects", icon: IconActivity, link: linkOptions({ to: "/projects" }), exact: false }],
  },
  {
    // Members find their own sessions and password in the menu with their name.
    label: "Administration",
    adminsOnly: true,
    entries: [
      { label: "Security", icon: IconShieldLock, link: linkOptions({ to: "/admin/security" }), exact: false },
      { label: "Credentials", icon: IconKey, link: linkOptions({ to: "/code/credentials" }), exact: false },
      { label: "Users", icon: IconUsers, link: linkOptions({ to: "/admin/users" }), exact: false },
      { label: "Audit", icon: IconListSearch, link: linkOptions({ to: "/admin/audit" }), exact: false },
    ],
  },
] as const;

export function Navigation({ onNavigate }: { readonly onNavigate?: () => void }) {
  const me = useMe();
  const { areOn } = useSingleKeys();
  return (
    <nav className={classes.navigation} aria-label="Main">
      {GROUPS.filter(({ adminsOnly }) => !adminsOnly || me.role === "admin").map((group) => (
        <div key={group.label ?? "top"}>
          {group.label !== undefined && <div className={classes.label}>{group.label}</div>}
          <ul className={classes.entries}>
            {group.entries
              .filter((entry) => me.role === "admin" || !("adminsOnly" in entry))
              .map((entry) => (
                <li key={entry.label}>
                  <Link
                    {...entry.link}
                    className={classes.entry}
                    activeOptions={{ exact: entry.exact, includeSearch: false }}
                    {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
                  >
                    <entry.icon size={17} stroke={1.7} aria-hidden="true" />
                    {entry.label}
                    {areOn && <KeysOf page={entry.link.to} />}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** The keys that lead to a page, told while it is pointed at. */
function KeysOf({ page }: { readonly page: string }) {
  const keys = DESTINATIONS.find(({ to }) => to === page)?.keys;
  return keys === undefined ? null : (
    <span className={classes.keys} aria-hidden="true">
      <KeySequence keys={keys} />
    </span>
  );
}
