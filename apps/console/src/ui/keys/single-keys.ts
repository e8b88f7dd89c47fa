import { useLocalStorage } from "@mantine/hooks";

/**
 * Whether keys act alone, without Ctrl or Alt. Who dictates, or hits keys by chance, turns that off; for this browser, where
 * no account is asked.
 */
export function useSingleKeys() {
  const [areOn, setAreOn] = useLocalStorage({ key: "sightline-single-keys", defaultValue: true, getInitialValueInEffect: false });
  return { areOn, setAreOn };
}
