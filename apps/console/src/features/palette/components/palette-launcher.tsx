import { useHotkeys } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { type Dispatch, type SetStateAction, Suspense, useMemo } from "react";
import { DESTINATIONS } from "#features/palette/destinations.ts";
import { useActions } from "#features/palette/use-actions.ts";
import { useKeySequences } from "#features/palette/use-key-sequences.ts";
import { lazyPart } from "#ui/page/lazy-part.ts";
import { useSingleKeys } from "#ui/keys/single-keys.ts";

// Not needed for the first page.
const Palette = lazyPart(async () => (await import("./palette.tsx")).Palette);
const KeyboardMap = lazyPart(async () => (await import("./keyboard-map.tsx")).KeyboardMap);

export type OpenPanel = "palette" | "map" | undefined;

type PaletteLauncherProps = {
  readonly isAdmin: boolean;
  readonly onLogOut: () => void;
  readonly open: OpenPanel;
  readonly onOpen: Dispatch<SetStateAction<OpenPanel>>;
};

/** The keys of the command palette, those that lead to pages, and the map of them. */
export function PaletteLauncher({ isAdmin, onLogOut, open, onOpen }: PaletteLauncherProps) {
  const navigate = useNavigate();
  const singleKeys = useSingleKeys();
  const actions = useActions({ isAdmin, onKeyboardMap: () => onOpen("map"), onLogOut });
  useHotkeys([["mod+K", () => onOpen("palette")]], []);
  const sequences = useMemo(() => {
    const pages = DESTINATIONS.flatMap(({ keys, link, adminsOnly }) =>
      keys === undefined || (adminsOnly && !isAdmin) ? [] : [[keys, () => void navigate(link)] as const],
    );
    return new Map<string, () => void>([...pages, ["?", () => onOpen("map")]]);
  }, [isAdmin, navigate, onOpen]);
  useKeySequences(sequences, { enabled: singleKeys.areOn });
  return (
    <Suspense fallback={null}>
      {open === "palette" && (
        <Palette isAdmin={isAdmin} actions={actions} onClosed={() => onOpen((now) => (now === "palette" ? undefined : now))} />
      )}
      {open === "map" && <KeyboardMap opened onClose={() => onOpen(undefined)} />}
    </Suspense>
  );
}
