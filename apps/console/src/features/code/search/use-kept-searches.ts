import { useLocalStorage } from "@mantine/hooks";
import { useEffect } from "react";
import { saveSearch, savedSearchesQuery } from "#features/code/api/saved-searches.ts";
import { NONE, readKept, toSavedQuery, type KeptSearches } from "#features/code/query/kept-searches.ts";
import { isTransient } from "#http/api-error.ts";
import { useChange } from "#http/use-change.ts";

/** The last searches of an account in this browser. Those that it saved here before the server kept them are moved there. */
export function useKeptSearches(userId: string) {
  const [kept, setKept] = useLocalStorage<KeptSearches>({
    key: `sightline-searches-${userId}`,
    defaultValue: NONE,
    getInitialValueInEffect: false,
    deserialize: readKept,
  });
  const { mutate: move } = useChange({
    send: async (saved: KeptSearches["saved"], api) => {
      // The newest comes last, and so first in the list.
      for (const search of saved.toReversed()) {
        // What the server refuses is not worth another try.
        await api
          .request(saveSearch(toSavedQuery(search)))
          .catch((error: unknown) => (isTransient(error) ? Promise.reject(error) : undefined));
      }
    },
    refreshes: [savedSearchesQuery.queryKey],
    onSuccess: () => setKept((before) => ({ ...before, saved: [] })),
  });
  const { saved } = kept;
  useEffect(() => {
    if (saved.length > 0) {
      move(saved);
    }
  }, [saved, move]);
  return [kept, setKept] as const;
}
