/** Whose request it is: the token, its MCP session if it has one, and the JSON-RPC id. */
export type CallKey = { readonly caller: string; readonly session: string | null; readonly id: string | number };

export type RunningCalls = {
  /** Until `gone` is aborted the call runs; it should stop when what is returned is, by `gone` or by `cancel` with the same key. */
  readonly begin: (key: CallKey, gone: AbortSignal) => AbortSignal;
  readonly cancel: (key: CallKey) => void;
};

/**
 * Calls of this process that a later request may cancel. Ids are each client's own count: two clients of one token that
 * don't name their sessions may use the same at once, and then neither is cancelled for the other.
 */
export function createRunningCalls(): RunningCalls {
  const running = new Map<string, Set<AbortController>>();
  return {
    begin: (key, gone) => {
      const text = textOf(key);
      const controller = new AbortController();
      const sharing = running.get(text) ?? new Set();
      running.set(text, sharing.add(controller));
      gone.addEventListener(
        "abort",
        () => {
          sharing.delete(controller);
          if (sharing.size === 0 && running.get(text) === sharing) {
            running.delete(text);
          }
        },
        { once: true },
      );
      return AbortSignal.any([gone, controller.signal]);
    },
    cancel: (key) => {
      const [only, ...others] = running.get(textOf(key)) ?? [];
      if (others.length === 0) {
        only?.abort(new Error("the client cancelled the call"));
      }
    },
  };
}

/** A number and its digits are different ids. */
function textOf({ caller, session, id }: CallKey): string {
  return JSON.stringify([caller, session, id]);
}
