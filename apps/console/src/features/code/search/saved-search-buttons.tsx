import { CloseButton } from "@mantine/core";
import type { SavedSearch } from "@sightline/code-index/contract";
import { IconBell, IconBellFilled, IconBookmark, IconBookmarkFilled } from "@tabler/icons-react";
import { changeSavedSearch, deleteSavedSearch, savedSearchesQuery, saveSearch } from "#features/code/api/saved-searches.ts";
import { toSavedQuery, type KeptSearch } from "#features/code/query/kept-searches.ts";
import { useChange } from "#http/use-change.ts";
import { IconButton } from "#ui/kit/icon-button.tsx";

type OfSaved = { readonly search: SavedSearch; readonly size?: number };

const refreshes = [savedSearchesQuery.queryKey];

/** Saves the search that is on the page, or forgets it. */
export function SaveButton({ search, saved }: { readonly search: KeptSearch; readonly saved: SavedSearch | undefined }) {
  const save = useChange({ send: () => saveSearch(toSavedQuery(search)), refreshes, failed: "The search was not saved" });
  const forget = useForget();
  return (
    <IconButton
      size={42}
      label={saved === undefined ? "Save this search" : "Forget this search"}
      aria-pressed={saved !== undefined}
      loading={save.isPending || forget.isPending}
      onClick={() => (saved === undefined ? save.mutate() : forget.mutate(saved.id))}
    >
      {saved === undefined ? <IconBookmark size={18} /> : <IconBookmarkFilled size={18} />}
    </IconButton>
  );
}

/** Has its person told when code is added that matches; where that can't be, it says why. */
export function WatchButton({ search: { id, name, watch, not_watchable: problem }, size = 28 }: OfSaved) {
  const change = useChange({ send: () => changeSavedSearch(id, { watch: !watch }), refreshes, failed: "The search is not watched" });
  const isUseless = problem !== null && !watch;
  return (
    <IconButton
      size={size}
      label={isUseless ? problem : `${watch ? "Stop watching" : "Tell me when code is added that matches"}: ${name}`}
      aria-pressed={watch}
      loading={change.isPending}
      {...(isUseless ? { "aria-disabled": true, "data-disabled": true } : { onClick: () => change.mutate() })}
    >
      {watch ? <IconBellFilled size={size * 0.43 + 4} /> : <IconBell size={size * 0.43 + 4} />}
    </IconButton>
  );
}

export function ForgetButton({ search: { id, name } }: OfSaved) {
  const forget = useForget();
  return <CloseButton size="sm" aria-label={`Forget ${name}`} disabled={forget.isPending} onClick={() => forget.mutate(id)} />;
}

function useForget() {
  return useChange({
    send: (id: string) => deleteSavedSearch(id),
    refreshes,
    refreshesAlways: true,
    failed: "The search was not forgotten",
  });
}
