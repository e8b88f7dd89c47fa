import { CloseButton } from "@mantine/core";
import type { SavedSearches } from "@sightline/code-index/contract";
import { IconBookmark, IconHistory } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { fromSavedQuery, toSearchKey, type KeptSearch, type KeptSearches } from "#features/code/query/kept-searches.ts";
import { FoundButton } from "./watch-alerts.tsx";
import { SaveButton, WatchButton } from "./saved-search-buttons.tsx";
import classes from "./kept-searches.module.css";

type KeptSearchesProps = {
  readonly saved: SavedSearches;
  readonly kept: KeptSearches;
  readonly onChange: (kept: KeptSearches) => void;
};

/** The searches that were saved, with what is new of those that are watched, and the last ones. */
export function KeptSearchesView({ saved: { items, mail }, kept, onChange }: KeptSearchesProps) {
  const { recent } = kept;
  if (items.length + recent.length === 0) {
    return null;
  }
  return (
    <div className={classes.lists}>
      <List
        title="Saved searches"
        icon={<IconBookmark size={15} aria-hidden="true" />}
        note={items.length === 0 ? "None yet: the bookmark beside a search keeps it here." : undefined}
      >
        {items.map((item) => (
          <Row key={item.id} search={fromSavedQuery(item)}>
            <FoundButton search={item} mail={mail} />
            <WatchButton search={item} />
            <SaveButton search={fromSavedQuery(item)} saved={item} />
          </Row>
        ))}
      </List>
      <List
        title="Recent searches"
        icon={<IconHistory size={15} aria-hidden="true" />}
        note={recent.length === 0 ? "None yet." : "Kept in this browser alone."}
      >
        {recent.map((search) => (
          <Row key={toSearchKey(search)} search={search}>
            <CloseButton
              size="sm"
              aria-label={`Forget ${search.q ?? "the search"}`}
              onClick={() => onChange({ ...kept, recent: recent.filter((other) => other !== search) })}
            />
          </Row>
        ))}
      </List>
    </div>
  );
}

type ListProps = { readonly title: string; readonly icon: ReactNode; readonly note: string | undefined; readonly children: ReactNode };

function List({ title, icon, note, children }: ListProps) {
  return (
    <section>
      <h2 className={classes.title}>
        {icon}
        {title}
      </h2>
      <ul className={classes.list}>{children}</ul>
      {note !== undefined && <p className={classes.note}>{note}</p>}
    </section>
  );
}

function Row({ search, children }: { readonly search: KeptSearch; readonly children: ReactNode }) {
  return (
    <li className={classes.row}>
      <Link className={classes.search} to="/code" search={search}>
        <span className={classes.words}>{search.q ?? "Everything"}</span>
        <span className={classes.filters}>{filtersOf(search)}</span>
      </Link>
      {children}
    </li>
  );
}

function filtersOf({ mode, regex, repo, path, lang, ref, kind }: KeptSearch): string {
  const how = mode === "grep" ? (regex === "true" ? "grep, expression" : "grep") : undefined;
  return [how, repo, path, lang, ref, kind].filter((filter) => filter !== undefined).join(" · ");
}
