import { useHotkeys } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { type Dispatch, type SetStateAction, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { DESTINATIONS } from "#features/palette/destinations.ts";
import { useActions } from "#features/palette/use-actions.ts";
import { useTypedAhead } from "#features/palette/use-typed-ahead.ts";
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
  const [typed, setTyped] = useState("");
  const closePalette = useCallback(() => {
    onOpen((now) => (now === "palette" ? undefined : now));
    setTyped("");
  }, [onOpen]);
  useHotkeys([["mod+K", () => onOpen("palette")]], []);
  useTypedAhead({ isOpening: open === "palette", onType: setTyped, onClose: closePalette });
  const sequences = useMemo(() => {
    const pages = DESTINATIONS.flatMap(({ keys, to, adminsOnly = false }) =>
      keys === undefined || (adminsOnly && !isAdmin) ? [] : [[keys, () => void navigate({ to })] as const],
    );
    return new Map<string, () => void>([...pages, ["?", () => onOpen("map")]]);
  }, [isAdmin, navigate, onOpen]);
  useKeySequences(sequences, { enabled: singleKeys.areOn && open === undefined });
  return (
    <Suspense fallback={null}>
      {open === "palette" && <Palette typed={typed} onType={setTyped} isAdmin={isAdmin} actions={actions} onClosed={closePalette} />}
      {open === "map" && <KeyboardMap opened onClose={() => onOpen(undefined)} />}
    </Suspense>
  );
}

/** Between two keys of a sequence. */
const PAUSE_MS = 1_000;

/** Calls what a sequence such as `g h` stands for when its keys are typed outside of a field. A page that takes a key itself goes before. */
function useKeySequences(sequences: ReadonlyMap<string, () => void>, { enabled }: { readonly enabled: boolean }): void {
  const latest = useRef(sequences);
  useEffect(() => {
    latest.current = sequences;
  }, [sequences]);
  useEffect(() => {
    if (!enabled) {
      return undefined;
    }
    let typed = "";
    let at = 0;
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
        return;
      }
      typed = event.timeStamp - at < PAUSE_MS && typed !== "" ? `${typed} ${event.key}` : event.key;
      at = event.timeStamp;
      const run = latest.current.get(typed);
      if (run !== undefined) {
        typed = "";
        event.preventDefault();
        run();
      } else if (![...latest.current.keys()].some((sequence) => sequence.startsWith(`${typed} `))) {
        typed = "";
      }
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [enabled]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
}
