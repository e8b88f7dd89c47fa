import { Popover, UnstyledButton } from "@mantine/core";
import type { SearchAnswer } from "@sightline/code-index/contract";
import { IconClock } from "@tabler/icons-react";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { plural } from "#ui/words/format.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./searched-indexes.module.css";

/** How new what was searched is; what lags behind its repository is said at once. */
export function SearchedIndexes({ index }: { readonly index: SearchAnswer["index"] }) {
  const late = index.filter(({ behind }) => behind > 0);
  const [only] = index;
  if (only === undefined) {
    return null;
  }
  return (
    <Popover position="bottom-start" width={420} withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton className={classes.button} data-late={late.length > 0 || undefined}>
          <IconClock size={14} aria-hidden="true" />
          {late.length > 0 ? (
            `${plural(late.length, "repository", "repositories")} behind`
          ) : index.length === 1 ? (
            <>
              indexed <TimeStamp at={only.indexed_at} />
            </>
          ) : (
            `${plural(index.length, "index", "indexes")}, up to date`
          )}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="What was searched">
        <ul className={classes.list}>
          {index.map(({ repo, ref, commit, indexed_at: at, behind }) => (
            <li key={`${repo} ${ref}`} className={classes.entry}>
              <span className={classes.repo}>
                {repo} <span className={classes.dimmed}>{ref}</span>
              </span>
              <CopyableId value={commit} label="commit" />
              <span className={classes.dimmed}>
                indexed <TimeStamp at={at} />
              </span>
              {behind > 0 && <span className={classes.late}>{plural(behind, "push", "pushes")} received that can't be found yet</span>}
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
