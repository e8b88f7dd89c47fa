import { useDocumentVisibility } from "@mantine/hooks";
import { useEffect, useEffectEvent, useState } from "react";
import { createFollower } from "./follow.ts";
import { listen } from "./listen.ts";
import { useApi } from "#http/api-context.ts";
import { encoded } from "#http/calls.ts";

/** `live`: told of changes as they happen. `reconnecting`: asked for every two seconds, until the stream is back. */
export type LiveState = "connecting" | "live" | "reconnecting";

const POLL_MS = 2_000;
/** Three beats of the stream. */
const SILENCE_MS = 45_000;

/**
 * Calls `refresh` whenever a trace of the project changed, or the one that is named: told by the server's stream, and when
 * that fails every two seconds. Never more than one call at a time; the next one `pauseMs` after the last at the soonest.
 * A page that nobody looks at holds no stream, since browsers open only six connections to a server; it asks when it is back.
 */
export function useLive({
  projectId,
  traceId,
  enabled = true,
  pauseMs = 300,
  refresh,
}: {
  readonly projectId: string;
  readonly traceId?: string;
  readonly enabled?: boolean;
  readonly pauseMs?: number;
  /** Gets the ids of the traces that changed since the last call; none when it is not known which. */
  readonly refresh: (traceIds: ReadonlySet<string>) => Promise<unknown>;
}): LiveState {
  const api = useApi();
  const [state, setState] = useState<LiveState>("connecting");
  const isSeen = useDocumentVisibility() !== "hidden";
  const newest = useEffectEvent(refresh);

  useEffect(() => {
    if (!enabled || !isSeen) {
      return undefined;
    }
    const stopping = new AbortController();
    const { signal } = stopping;
    let changed = new Set<string>();
    const follower = createFollower({
      run: () => {
        const ids = changed;
        changed = new Set();
        return newest(ids);
      },
      pause: () => wait(pauseMs, signal),
    });
    let isLost = false;
    let silence = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = setInterval(() => {
      if (isLost) {
        follower.outdated();
      }
    }, POLL_MS);
    void listen({
      async connect() {
        silence = new AbortController();
        const { body } = await api.download({
          part: "observability",
          path: encoded`/api/v1/projects/${projectId}/live`,
          query: { trace_id: traceId },
          accept: "text/event-stream",
          signal: AbortSignal.any([signal, silence.signal]),
        });
        if (body === null) {
          throw new Error("The stream has no body.");
        }
        return body;
      },
      signal,
      // Two tabs of one browser need not come back at the same time.
      wait: (milliseconds) => wait(milliseconds * (0.75 + Math.random() / 2), signal),
      onLive: () => {
        isLost = false;
        setState("live");
        follower.outdated();
      },
      onChange: (ids) => {
        ids.forEach((id) => changed.add(id));
        follower.outdated();
      },
      onHeard: () => {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
      },
      onLost: () => {
        isLost = true;
        setState("reconnecting");
      },
    });
    return () => {
      stopping.abort();
      follower.stop();
      clearInterval(poll);
      clearTimeout(timer);
    };
  }, [api, projectId, traceId, enabled, isSeen, pauseMs]);

  return state;
}

async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
