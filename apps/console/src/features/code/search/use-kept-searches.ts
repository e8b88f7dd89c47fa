import { useLocalStorage } from "@mantine/hooks";
import { NONE, readKept, type KeptSearches } from "#features/code/query/kept-searches.ts";

/** The searches that an account saved in this browser, and its last ones. */
export function useKeptSearches(userId: string) {
  return useLocalStorage<KeptSearches>({
    key: `sightline-searches-${userId}`,
    defaultValue: NONE,
    getInitialValueInEffect: false,
    deserialize: readKept,
  });
}
