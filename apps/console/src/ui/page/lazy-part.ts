import { type ComponentType, type LazyExoticComponent, lazy } from "react";

const PAUSE_MS = 1_500;

const watchers = new Set<() => void>();
let isMissing = false;

/** Whether a part of the open page could not be loaded; for `useSyncExternalStore`. */
export const missingPart = {
  get: () => isMissing,
  subscribe: (tell: () => void): (() => void) => {
    watchers.add(tell);
    return () => watchers.delete(tell);
  },
};

/**
 * A component that loads when it is first shown. One that can't be loaded, since the console was upgraded and the files of
 * this page are gone, leaves its place empty instead of taking the page, and what was typed there, with it.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadPart(load) }));
}

async function loadPart<Props extends object>(load: () => Promise<ComponentType<Props>>): Promise<ComponentType<Props>> {
  try {
    return await load().catch(async () => {
      await becomeReachable();
      return load();
    });
  } catch {
    isMissing = true;
    watchers.forEach((tell) => tell());
    return Nothing;
  }
}

/** A browser that is offline comes back some time; a server that restarts, soon. */
async function becomeReachable(): Promise<void> {
  await new Promise<void>((resolve) => {
    if (navigator.onLine) {
      setTimeout(resolve, PAUSE_MS);
    } else {
      window.addEventListener("online", () => resolve(), { once: true });
    }
  });
}

function Nothing() {
  return null;
}

/** Whether an error is that of a page's own file, in the words of each browser. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|importing a module script failed|unable to preload/i.test(error.message);
}
