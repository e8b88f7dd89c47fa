import type { SavedSearch } from "@sightline/code-index/contract";
import { IconBell, IconBellFilled, IconBookmark, IconBookmarkFilled } from "@tabler/icons-react";
import { changeSavedSearch, deleteSavedSearch, savedSearchesQuery, saveSearch } from "#features/code/api/saved-searches.ts";
import { toSavedQuery, type KeptSearch } from "#features/code/query/kept-searches.ts";
import { useChange } from "#http/use-change.ts";
import { IconButton } from "#ui/kit/icon-button.tsx";

const refreshes = [savedSearchesQuery.queryKey];

type SaveButtonProps = { readonly search: KeptSearch; readonly saved: SavedSearch | undefined; readonly size?: number };

/** Saves a search, or forgets the saved one. */
export function SaveButton({ search, saved, size = 28 }: SaveButtonProps) {
  const options = { refreshes, refreshesAlways: true };
  const save = useChange({ ...options, send: () => saveSearch(toSavedQuery(search)), failed: "The search was not saved" });
  const forget = useChange({ ...options, send: (id: string) => deleteSavedSearch(id), failed: "The search was not forgotten" });
  return (
    <IconButton
      size={size}
      label={saved === undefined ? "Save this search" : `Forget ${saved.name}`}
      aria-pressed={saved !== undefined}
      loading={save.isPending || forget.isPending}
      onClick={() => (saved === undefined ? save.mutate() : forget.mutate(saved.id))}
    >
      {saved === undefined ? <IconBookmark size={16} /> : <IconBookmarkFilled size={16} />}
    </IconButton>
  );
}

type WatchButtonProps = { readonly search: SavedSearch; readonly size?: number };

/** Has its person told when code is added that matches; where that can't be, it says why. */
export function WatchButton({ search: { id, name, watch, not_watchable: problem }, size = 28 }: WatchButtonProps) {
  const change = useChange({ send: () => changeSavedSearch(id, { watch: !watch }), refreshes, failed: "The search is not watched" });
  const isUseless = problem !== null && !watch;
  return (
    <IconButton
      size={size}
      label={isUseless ? problem : `${watch ? "Stop watching" : "Tell me when code is added that matches"}: ${name}`}
      aria-pressed={watch}
      loading={change.isPending}
      {...(isUseless ? { "aria-disabled": true, "data-disabled": true, bg: "transparent" } : { onClick: () => change.mutate() })}
    >
      {watch ? <IconBellFilled size={16} /> : <IconBell size={16} />}
    </IconButton>
  );
}
