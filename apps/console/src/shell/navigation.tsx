import { IconActivity, IconGitBranch, IconHome, IconPlugConnected, IconSearch } from "@tabler/icons-react";
import { Link, linkOptions } from "@tanstack/react-router";
import classes from "./navigation.module.css";

const GROUPS = [
  { label: undefined, entries: [{ label: "Overview", icon: IconHome, link: linkOptions({ to: "/" }), exact: true }] },
  {
    label: "Code",
    entries: [
      { label: "Search", icon: IconSearch, link: linkOptions({ to: "/code" }), exact: true },
      { label: "Repositories", icon: IconGitBranch, link: linkOptions({ to: "/code/repos" }), exact: false },
      { label: "Connect", icon: IconPlugConnected, link: linkOptions({ to: "/code/connect" }), exact: false },
    ],
  },
  {
    label: "Agents",
    entries: [{ label: "Projects", icon: IconActivity, link: linkOptions({ to: "/projects" }), exact: false }],
  },
] as const;

export function Navigation({ onNavigate }: { readonly onNavigate?: () => void }) {
  return (
    <nav className={classes.navigation} aria-label="Main">
      {GROUPS.map((group) => (
        <div key={group.label ?? "top"}>
          {group.label !== undefined && <div className={classes.label}>{group.label}</div>}
          <ul className={classes.entries}>
            {group.entries.map((entry) => (
              <li key={entry.label}>
                <Link
                  {...entry.link}
                  className={classes.entry}
                  activeOptions={{ exact: entry.exact, includeSearch: false }}
                  {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
                >
                  <entry.icon size={17} stroke={1.7} aria-hidden="true" />
                  {entry.label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
