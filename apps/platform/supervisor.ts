import { setTimeout as delay } from "node:timers/promises";
import type { Output } from "./log-lines.ts";
import { runChildOnce } from "./child-once.ts";
import type { ChildSpecification } from "./launch-child.ts";
import { createSupervisedChild, type ChildTimings, type SupervisedChild } from "./supervised-child.ts";

export type Supervisor = {
  /** Starts the processes at once and resolves when all are ready; throws when one never gets there. */
  readonly start: (specifications: readonly ChildSpecification[]) => Promise<void>;
  /** Runs a process to its end, which is not started again; throws when it fails. */
  readonly runOnce: (specification: ChildSpecification) => Promise<void>;
  /** Ends all in reverse order; what is not gone in time is killed. */
  readonly stop: () => Promise<void>;
  /** Ends all at once. */
  readonly kill: () => void;
};

type SupervisorOptions = {
  readonly output: Output;
  readonly timings?: Partial<ChildTimings>;
  /** Milliseconds that stopping everything may take. */
  readonly stopMs?: number;
};

const STOP_MS = 10_000;

/** How much of the time one slow process may take before the next is asked too. */
const TURN = 0.3;

/** Keeps child processes running, and leaves none behind. */
export function createSupervisor({ output, timings, stopMs = STOP_MS }: SupervisorOptions): Supervisor {
  const children: SupervisedChild[] = [];
  const passing = new AbortController();
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    passing.abort();
    // Whoever stops a whole process group signals the children too, and they end before they are asked.
    for (const child of children) {
      child.retire();
    }
    const deadline = Date.now() + stopMs;
    const ends: Promise<void>[] = [];
    for (const child of children.toReversed()) {
      const end = child.stop();
      ends.push(end);
      await Promise.race([end, delay(Math.min(stopMs * TURN, Math.max(deadline - Date.now(), 0)), undefined, { ref: false })]);
    }
    const all = Promise.all(ends);
    const late = await Promise.race([all.then(() => false), delay(Math.max(deadline - Date.now(), 0), true, { ref: false })]);
    if (late) {
      output.say("Not everything ended in time; the rest is killed.");
      kill();
      await all;
    }
  }

  function kill(): void {
    passing.abort();
    for (const child of children) {
      child.kill();
    }
  }

  return {
    start: async (specifications) => {
      const added = specifications.map((specification) =>
        createSupervisedChild(specification, {
          onLine: output.childLine,
          say: output.say,
          ...(timings === undefined ? {} : { timings }),
        }),
      );
      children.push(...added);
      await Promise.all(added.map((child) => child.start()));
    },
    runOnce: (specification) => runChildOnce(specification, { onLine: output.childLine, signal: passing.signal }),
    stop: () => (stopping ??= stopAll()),
    kill,
  };
}
