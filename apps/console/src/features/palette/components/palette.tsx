import { Loader } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight } from "@mantine/spotlight";
import "@mantine/spotlight/styles.layer.css";
import { TRACE_ID } from "@sightline/observability/contract";
import {
  IconActivity,
  IconArrowRight,
  IconBolt,
  IconFileCode,
  IconGitBranch,
  IconSearch,
  IconSettings,
  IconTimeline,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useEffect, useId } from "react";
import { codeLink } from "#ui/page/code-link.ts";
import { formatTime } from "#ui/words/format.ts";
import { codeQuery, projectsQuery, repositoriesQuery, tracesQuery } from "#features/palette/api/find.ts";
import { DESTINATIONS } from "#features/palette/destinations.ts";
import { matches } from "#features/palette/matches.ts";
import type { Action } from "#features/palette/use-actions.ts";
import { palette, paletteStore, useChosen } from "#features/palette/use-chosen.ts";
import { KeySequence } from "./key-sequence.tsx";
import classes from "./palette.module.css";

const TYPING_MS = 150;
/** Names that match are offered up to so many of a kind. */
const MAX_NAMES = 6;

type Entry = {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly icon: ReactNode;
  readonly keys?: string | undefined;
};
type Group = { readonly label: string; readonly entries: readonly (Entry & { readonly run: () => void })[] };

export type PaletteProps = {
  readonly typed: string;
  readonly onType: (typed: string) => void;
  readonly actions: readonly Action[];
  readonly isAdmin: boolean;
  readonly onClosed: () => void;
};

/** Goes anywhere and does anything by its name: pages, repositories, projects, code, traces, actions. Open from the moment it is there. */
export function Palette({ typed, onType, actions, isAdmin, onClosed }: PaletteProps) {
  const { groups, isLooking } = useGroups(typed.trim(), isAdmin, actions);
  useEffect(() => palette.open(), []);
  const shown = groups.filter(({ entries }) => entries.length > 0);
  const ids = shown.flatMap(({ entries }) => entries.map(({ id }) => id));
  const { active, watch, onKeyDown, onType: onTyped } = useChosen(ids);
  const listId = useId();
  const placeOf = (id: string): string => `${listId}-${ids.indexOf(id)}`;
  return (
    <Spotlight.Root
      store={paletteStore}
      query={typed}
      onQueryChange={(query) => {
        onTyped();
        onType(query);
      }}
      onSpotlightClose={onClosed}
      shortcut={null}
      scrollable
      maxHeight="min(70dvh, 560px)"
      title="Command palette"
      // Its field stays where it is while what is found changes its height.
      centered={false}
      yOffset="12dvh"
      classNames={{ header: classes.header ?? "" }}
    >
      <Spotlight.Search
        placeholder="Go to a page, a repository, code or a trace…"
        aria-label="Search everything"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={ids.length > 0}
        aria-controls={listId}
        aria-activedescendant={active}
        onKeyDown={onKeyDown}
        leftSection={isLooking ? <Loader size={16} /> : <IconSearch size={18} stroke={1.6} />}
      />
      <Spotlight.ActionsList id={listId} ref={watch} {...(ids.length === 0 ? {} : { role: "listbox", "aria-label": "Found" })}>
        {shown.map(({ label, entries }) => (
          <Spotlight.ActionsGroup key={label} label={label} role="group" aria-label={label}>
            {entries.map(({ id, label: name, description, icon, keys, run }) => (
              <Spotlight.Action
                key={id}
                label={name}
                {...(description === undefined ? {} : { description })}
                leftSection={icon}
                rightSection={keys === undefined ? undefined : <KeySequence keys={keys} />}
                onClick={run}
                role="option"
                aria-selected={placeOf(id) === active}
                // The library takes `id` for itself.
                renderRoot={(props) => <button {...props} id={placeOf(id)} />}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {shown.length === 0 && <Spotlight.Empty role="status">{isLooking ? "Looking…" : `Nothing found for “${typed}”.`}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function useGroups(typed: string, isAdmin: boolean, actions: readonly Action[]) {
  const navigate = useNavigate();
  const { projectId } = useParams({ strict: false });
  const [settled] = useDebouncedValue(typed, TYPING_MS);
  const repositories = useQuery(repositoriesQuery);
  const projects = useQuery(projectsQuery);
  const code = useQuery(codeQuery(settled));
  const traces = useQuery(tracesQuery(projectId, settled));
  const icon = { size: 18, stroke: 1.6, "aria-hidden": true } as const;
  const named = [
    ...(repositories.data?.items ?? []).map(({ id, full_name: name }) => ({
      kind: "repository",
      id,
      name,
      words: "repository",
      open: () => void navigate({ ...codeLink(name), search: {} }),
      openSettings: () => void navigate({ to: "/code/repos/$repositoryId", params: { repositoryId: id } }),
    })),
    ...(projects.data?.items ?? []).map(({ id, name }) => ({
      kind: "project",
      id,
      name,
      words: "project traces",
      open: () => void navigate({ to: "/projects/$projectId/traces", params: { projectId: id }, search: {} }),
      openSettings: () => void navigate({ to: "/projects/$projectId/settings", params: { projectId: id }, search: {} }),
    })),
  ];
  const groupOf = (wanted: string, label: string, Icon: typeof IconActivity): Group => ({
    label,
    entries: named
      .filter(({ kind, name, words }) => kind === wanted && typed !== "" && matches(typed, name, words))
      .slice(0, MAX_NAMES)
      .map(({ id, name, open }) => ({ id: `${wanted} ${id}`, label: name, icon: <Icon {...icon} />, run: open })),
  });
  const isSearched = settled.length > 1 && typed !== "";
  const groups: readonly Group[] = [
    {
      label: "Trace",
      entries: TRACE_ID.test(typed)
        ? [
            {
              id: "trace by id",
              label: `Open the trace ${typed}`,
              icon: <IconTimeline {...icon} />,
              run: () => void navigate({ to: "/traces/$traceId", params: { traceId: typed } }),
            },
          ]
        : [],
    },
    {
      label: "Pages",
      entries: DESTINATIONS.filter(({ adminsOnly = false, label, words }) => (isAdmin || !adminsOnly) && matches(typed, label, words)).map(
        ({ label, to, keys }) => ({ id: `page ${to}`, label, icon: <IconArrowRight {...icon} />, keys, run: () => void navigate({ to }) }),
      ),
    },
    {
      label: "Actions",
      entries: actions
        .filter(({ label, words }) => typed !== "" && matches(typed, label, words))
        .map((action) => ({ ...action, id: `action ${action.label}`, icon: <IconBolt {...icon} /> })),
    },
    groupOf("repository", "Repositories", IconGitBranch),
    groupOf("project", "Projects", IconActivity),
    {
      label: "Settings",
      entries: named
        .map(({ kind, id, name, openSettings }) => ({ id: `settings of ${kind} ${id}`, label: `Settings of ${name}`, run: openSettings }))
        // The name alone leads to the thing itself.
        .filter(({ label }) => /\bset/i.test(typed) && matches(typed, label))
        .slice(0, MAX_NAMES)
        .map((entry) => ({ ...entry, icon: <IconSettings {...icon} /> })),
    },
    {
      label: "Traces of this project",
      entries: (isSearched && projectId !== undefined ? (traces.data?.items ?? []) : []).map(({ id, name, status, started_at: at }) => ({
        id: `trace ${id}`,
        label: name,
        description: `${status}, ${formatTime(new Date(at))}`,
        icon: <IconTimeline {...icon} />,
        run: () =>
          void navigate({ to: "/projects/$projectId/traces/$traceId", params: { projectId: projectId ?? "", traceId: id }, search: {} }),
      })),
    },
    {
      label: "Code",
      entries: !isSearched
        ? []
        : [
            ...(code.data?.results ?? []).map(({ repo, path, start_line: start, matched_lines: [line = start], symbol }) => ({
              id: `code ${repo} ${path}:${line} ${symbol ?? ""}`,
              label: symbol ?? path.split("/").at(-1) ?? path,
              description: `${repo} · ${path}:${line}`,
              icon: <IconFileCode {...icon} />,
              run: () => void navigate({ ...codeLink(repo), search: { path }, hash: `L${line}` }),
            })),
            {
              id: "code all",
              label: `Search code for “${settled}”`,
              icon: <IconSearch {...icon} />,
              run: () => void navigate({ to: "/code", search: { q: settled } }),
            },
          ],
    },
  ];
  return { groups, isLooking: code.isFetching || traces.isFetching };
}
