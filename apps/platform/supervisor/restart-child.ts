import type { ChildProcess } from "node:child_process";
import { parseChildMessage, type ChildMessage } from "./child-channel.ts";
import { launchChild, type ChildSpecification } from "./launch-child.ts";

export type SupervisedChild = ReturnType<typeof createSupervisedChild>;

type ChildOptions = {
  readonly onLine: (name: string, line: string) => void;
  readonly say: (text: string) => void;
  readonly timings?: Partial<ChildTimings>;
};

export type ChildTimings = {
  /** The pause before the second restart in a row; it doubles up to the longest. The first restart has none. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** The longest silence of a child that is starting, unless its specification says otherwise: each line shows that it makes progress. */
  readonly readyMs: number;
  /** After this lifetime a child's earlier failures are forgotten. */
  readonly soundMs: number;
  /** How often a child that was never ready is started. */
  readonly firstAttempts: number;
};

const TIMINGS: ChildTimings = {
  pauseMs: 500,
  longestPauseMs: 30_000,
  readyMs: 300_000,
  soundMs: 30_000,
  firstAttempts: 3,
};

export function createSupervisedChild(specification: ChildSpecification, { onLine, say, timings: given }: ChildOptions) {
  const { name } = specification;
  const timings = { ...TIMINGS, ...given };
  const readyMs = specification.readyMs ?? timings.readyMs;
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  let stopping = false;
  let everReady = false;
  let failures = 0;
  let pause: NodeJS.Timeout | undefined;
  const firstReady = Promise.withResolvers<void>();

  function launch(): void {
    const startedAt = Date.now();
    let wasReady = false;
    let heardAt = startedAt;
    const started = launchChild(specification, (...line) => {
      heardAt = Date.now();
      onLine(...line);
    });
    child = started;
    let late = setTimeout(endLate, readyMs);
    function endLate(): void {
      const leftMs = heardAt + readyMs - Date.now();
      if (leftMs > 0) {
        late = setTimeout(endLate, leftMs);
        return;
      }
      say(`${name} is not ready and said nothing for ${Math.round(readyMs / 1000)} s; it is ended`);
      started.kill("SIGKILL");
    }
    started.on("message", (message) => {
      if (parseChildMessage(message)?.type === "ready") {
        clearTimeout(late);
        if (everReady) {
          say(`${name} is ready again (${Date.now() - startedAt} ms)`);
        }
        everReady = true;
        wasReady = true;
        // Not before the lines that it wrote until now were read: they wait in a pipe of their own.
        setImmediate(firstReady.resolve);
      }
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    ended = promise;
    const onEnd = (reason: string) => {
      clearTimeout(late);
      if (child === started) {
        child = undefined;
        resolve();
        afterEnd(reason, wasReady ? Date.now() - startedAt : 0);
      }
    };
    started.once("exit", (code, signal) => onEnd(signal ?? `exit code ${code}`));
    started.once("error", (error) => onEnd(error.message));
  }

  /** `livedMs` is 0 for a child that was never ready, however long it took. */
  function afterEnd(reason: string, livedMs: number): void {
    if (stopping) {
      firstReady.reject(new Error(`${name} was stopped before it was ready`));
      return;
    }
    failures = livedMs >= timings.soundMs ? 1 : failures + 1;
    if (!everReady && failures >= timings.firstAttempts) {
      firstReady.reject(new Error(`${name} does not start (${reason}); its lines above say why.`));
      return;
    }
    const pauseMs = failures === 1 ? 0 : Math.min(timings.pauseMs * 2 ** (failures - 2), timings.longestPauseMs);
    say(`${name} ended (${reason}) and is started again${pauseMs === 0 ? "" : ` in ${pauseMs} ms`}`);
    pause = setTimeout(launch, pauseMs);
  }

  /** Prevents further restarts. */
  function retire(): void {
    stopping = true;
    clearTimeout(pause);
  }

  // A stop may reject it when nobody waits for it.
  firstReady.promise.catch(() => undefined);
  return {
    name,
    /** Starts it; resolves when it is ready for the first time, and rejects when it never becomes ready. */
    start: (): Promise<void> => {
      launch();
      return firstReady.promise;
    },
    retire,
    /** Asks it to end, and resolves when it has. */
    stop: async (): Promise<void> => {
      retire();
      if (child?.connected === true) {
        child.send({ type: "stop" } satisfies ChildMessage, () => undefined);
      } else {
        child?.kill("SIGTERM");
      }
      await ended;
    },
    kill: () => {
      retire();
      child?.kill("SIGKILL");
    },
  };
}
