import { CloseButton } from "@mantine/core";
import { IconBookmark, IconHistory } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toSearchKey, toggleSaved, type KeptSearch, type KeptSearches } from "#features/code/query/kept-searches.ts";
import classes from "./kept-searches.module.css";

type KeptSearchesProps = { readonly kept: KeptSearches; readonly onChange: (kept: KeptSearches) => void };

/** The searches that were saved, and the last ones. */
export function KeptSearchesView({ kept, onChange }: KeptSearchesProps) {
  const { saved, recent } = kept;
  if (saved.length + recent.length === 0) {
    return null;
  }
  return (
    <div className={classes.lists}>
      <List
        title="Saved searches"
        icon={<IconBookmark size={15} aria-hidden="true" />}
        searches={saved}
        empty="None yet: the bookmark beside a search keeps it here."
        onRemove={(search) => onChange(toggleSaved(kept, search))}
      />
      <List
        title="Recent searches"
        icon={<IconHistory size={15} aria-hidden="true" />}
        searches={recent}
        empty="None yet."
        onRemove={(search) => onChange({ ...kept, recent: recent.filter((other) => other !== search) })}
      />
      <p className={classes.note}>Both are kept in this browser, for your account.</p>
    </div>
  );
}

type ListProps = {
  readonly title: string;
  readonly icon: ReactNode;
  readonly searches: readonly KeptSearch[];
  readonly empty: string;
  readonly onRemove: (search: KeptSearch) => void;
};

function List({ title, icon, searches, empty, onRemove }: ListProps) {
  return (
    <section>
      <h2 className={classes.title}>
        {icon}
        {title}
      </h2>
      {searches.length === 0 && <p className={classes.note}>{empty}</p>}
      <ul className={classes.list}>
        {searches.map((search) => (
          <li key={toSearchKey(search)} className={classes.row}>
            <Link className={classes.search} to="/code" search={search}>
              <span className={classes.words}>{search.q ?? "Everything"}</span>
              <span className={classes.filters}>{filtersOf(search)}</span>
            </Link>
            <CloseButton size="sm" aria-label={`Forget ${search.q ?? "the search"}`} onClick={() => onRemove(search)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function filtersOf({ mode, regex, repo, path, lang, ref, kind }: KeptSearch): string {
  const how = mode === "grep" ? (regex === "true" ? "grep, expression" : "grep") : undefined;
  return [how, repo, path, lang, ref, kind].filter((filter) => filter !== undefined).join(" · ");
}
