import "@mantine/core/styles/Switch.layer.css";
import { Switch } from "@mantine/core";
import { useSingleKeys } from "./single-keys.ts";

/** Stands in each map of keys. */
export function SingleKeysSwitch() {
  const { areOn, setAreOn } = useSingleKeys();
  return (
    <Switch
      mb="md"
      label="Single-key shortcuts"
      description="When off, only keys with Ctrl or ⌘, arrows and Enter work. Stored in this browser; the palette (Ctrl K) leads back here."
      checked={areOn}
      onChange={(event) => setAreOn(event.currentTarget.checked)}
    />
  );
}
