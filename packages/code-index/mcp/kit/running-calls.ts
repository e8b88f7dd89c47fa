import { createHash } from "node:crypto";
import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Running } from "./cancellations.store.ts";

/** Whose request it is: the token, its MCP session if it has one, and the JSON-RPC id. */
export type CallKey = { readonly caller: string; readonly session: string | null; readonly id: string | number };

/** Where processes leave word of calls that others run; see `store/cancellations.store.ts`. */
export type Cancellations = {
  readonly note: (call: string) => Promise<void>;
  readonly take: (running: readonly Running[]) => Promise<readonly string[]>;
};

/** Of an endpoint that is alone. */
export const withinThisProcess: Cancellations = { note: async () => undefined, take: async () => [] };

export type RunningCalls = {
  /** Until `gone` is aborted the call runs; it should stop when what is returned is, by `gone` or by `cancel` with the same key. */
  readonly begin: (key: CallKey, gone: AbortSignal) => AbortSignal;
  readonly cancel: (key: CallKey) => Promise<void>;
};

type Call = { readonly controller: AbortController; readonly beganAt: number; readonly session: string | null };

/** Most calls are over before anybody could look for word of them. */
const LOOK_MS = 250;

/**
 * Calls that a later request may cancel, whichever process it reaches. Ids are each client's own count: two clients of one
 * token that don't name their sessions may use the same at once, and then neither is cancelled for the other; a call without
 * a session is cancelled only in the process that runs it, since none can tell whether another has one of the same id.
 */
export function createRunningCalls({ cancellations, log }: { readonly cancellations: Cancellations; readonly log: Logger }): RunningCalls {
  const running = new Map<string, Set<Call>>();
  let looking: NodeJS.Timeout | undefined;

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

  /** Goes on while anything runs. */
  function lookLater(): void {
    looking ??= setTimeout(() => void look(), LOOK_MS).unref();
  }

  async function look(): Promise<void> {
    const now = performance.now();
    const long = [...running].flatMap(([call, sharing]) =>
      [...sharing]
        .filter(({ beganAt, session, controller }) => session !== null && now - beganAt >= LOOK_MS && !controller.signal.aborted)
        .map(({ beganAt }) => ({ call, seconds: (now - beganAt) / 1_000 })),
    );
    try {
      const cancelled = long.length === 0 ? [] : await cancellations.take(long);
      cancelled.forEach(stopIfAlone);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, "could not look for calls that were cancelled elsewhere");
    }
    looking = undefined;
    if (running.size > 0) {
      lookLater();
    }
  }

  return {
    begin: (key, gone) => {
      const name = nameOf(key);
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
      lookLater();
      return AbortSignal.any([gone, call.controller.signal]);
    },
    cancel: async (key) => {
      const name = nameOf(key);
      if (!stopIfAlone(name) && key.session !== null) {
        await cancellations.note(name);
      }
    },
  };
}

/** A number and its digits are different ids. However long a client's names are, and whatever they hold, this is short. */
function nameOf({ caller, session, id }: CallKey): string {
  return createHash("sha256")
    .update(JSON.stringify([caller, session, id]))
    .digest("base64");
}
