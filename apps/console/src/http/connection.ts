import type { Fetch, Part } from "./send.ts";

/** The server that does not answer: one of the APIs, or the console's own server in front of them. */
export type Away = Part | "console";

/** Notes from the calls that are made anyway who can't be reached, so that a page can say so once for all that failed. */
export type Connection = {
  /** Wraps `fetch`, so that the outcome of each call is noted. */
  readonly watch: (fetch: Fetch) => Fetch;
  /** The servers that are away. The array stays the same object until it changes, as `useSyncExternalStore` demands. */
  readonly away: () => readonly Away[];
  readonly subscribe: (tell: () => void) => () => void;
};

/** What a proxy says of an API that does not answer it. */
const BAD_GATEWAY = 502;

export function createConnection(): Connection {
  const watchers = new Set<() => void>();
  let away: readonly Away[] = [];

  function note(who: Away, isAway: boolean): void {
    if (away.includes(who) !== isAway) {
      away = isAway ? [...away, who] : away.filter((other) => other !== who);
      watchers.forEach((tell) => tell());
    }
  }

  return {
    watch: (fetch) => async (input, init) => {
      const part = partOf(input);
      try {
        const response = await fetch(input, init);
        note("console", false);
        if (part !== undefined) {
          note(part, response.status === BAD_GATEWAY);
        }
        return response;
      } catch (error) {
        // Broken off, or too slow, is not away.
        if (init.signal?.aborted !== true) {
          note("console", true);
        }
        throw error;
      }
    },
    away: () => away,
    subscribe(tell) {
      watchers.add(tell);
      return () => watchers.delete(tell);
    },
  };
}

function partOf(url: string): Part | undefined {
  return (["identity", "code-index", "observability"] as const).find((part) => url.startsWith(`/api/${part}/`));
}
