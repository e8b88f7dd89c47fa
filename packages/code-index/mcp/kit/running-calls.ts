import { createHash } from "node:crypto";
import { errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Running } from "./cancellations.store.ts";

/** Whose request it is: the token, its MCP session if it has one, and the JSON-RPC id. */
export type CallKey = { readonly caller: string; readonly session: string | null; readonly id: string | number };

/** How processes tell each other of cancelled calls; see `cancellations.store.ts`. */
export type Cancellations = {
  readonly note: (call: string) => Promise<void>;
  readonly take: (running: readonly Running[]) => Promise<readonly string[]>;
};

/** For an endpoint that has no other replicas. */
export const withinThisProcess: Cancellations = { note: async () => undefined, take: async () => [] };

export type RunningCalls = {
  /** Until `gone` is aborted the call runs; it should stop when what is returned is, by `gone` or by `cancel` with the same key. */
  readonly begin: (key: CallKey, gone: AbortSignal) => AbortSignal;
  readonly cancel: (key: CallKey) => Promise<void>;
};

type Call = { readonly controller: AbortController; readonly beganAt: number; readonly session: string | null };

/** Most calls have ended before the first poll. */
const POLL_MS = 250;

/**
 * Calls that a later request may cancel, whichever process it reaches. Ids are each client's own count: two clients of one
 * token that don't name their sessions may use the same at once, and then neither is cancelled for the other; a call without
 * a session is cancelled only in the process that runs it, since none can tell whether another has one of the same id.
 */
export function createRunningCalls({ cancellations, log }: { readonly cancellations: Cancellations; readonly log: Logger }): RunningCalls {
  const running = new Map<string, Set<Call>>();
  let timer: NodeJS.Timeout | undefined;

  function stopIfAlone(name: string): boolean {
    const [only, ...others] = running.get(name) ?? [];
    if (only === undefined) {
      return false;
    }
    if (others.length === 0) {
      only.controller.abort(new Error("the client cancelled the call"));
    }
    return true;
  }

  /** Polls while any call runs. */
  function schedulePoll(): void {
    timer ??= setTimeout(() => void pollCancellations(), POLL_MS).unref();
  }

  async function pollCancellations(): Promise<void> {
    const now = performance.now();
    const long = [...running].flatMap(([call, sharing]) =>
      [...sharing]
        .filter(({ beganAt, session, controller }) => session !== null && now - beganAt >= POLL_MS && !controller.signal.aborted)
        .map(({ beganAt }) => ({ call, seconds: (now - beganAt) / 1_000 })),
    );
    try {
      const cancelled = long.length === 0 ? [] : await cancellations.take(long);
      cancelled.forEach(stopIfAlone);
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, "could not look for calls that were cancelled elsewhere");
    }
    timer = undefined;
    if (running.size > 0) {
      schedulePoll();
    }
  }

  return {
    begin: (key, gone) => {
      const name = callName(key);
      const call = { controller: new AbortController(), beganAt: performance.now(), session: key.session };
      const sharing = running.get(name) ?? new Set();
      running.set(name, sharing.add(call));
      gone.addEventListener(
        "abort",
        () => {
          sharing.delete(call);
          if (sharing.size === 0 && running.get(name) === sharing) {
            running.delete(name);
          }
        },
        { once: true },
      );
      schedulePoll();
      return AbortSignal.any([gone, call.controller.signal]);
    },
    cancel: async (key) => {
      const name = callName(key);
      if (!stopIfAlone(name) && key.session !== null) {
        await cancellations.note(name);
      }
    },
  };
}

/** A number and its digits are different ids. However long a client's names are, and whatever they hold, this is short. */
function callName({ caller, session, id }: CallKey): string {
  return createHash("sha256")
    .update(JSON.stringify([caller, session, id]))
    .digest("base64");
}
