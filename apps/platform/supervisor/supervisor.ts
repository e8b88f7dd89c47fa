import { setTimeout as delay } from "node:timers/promises";
import type { Output } from "./log-lines.ts";
import { type ChildSpecification, launchChild } from "./launch-child.ts";
import { parseChildMessage, type ChildMessage } from "./child-channel.ts";
import { createSupervisedChild, type ChildTimings, type SupervisedChild } from "./restart-child.ts";

export type Supervisor = ReturnType<typeof createSupervisor>;

type SupervisorOptions = {
  readonly output: Output;
  readonly timings?: Partial<ChildTimings>;
  /** Milliseconds that stopping everything may take. */
  readonly stopMs?: number;
  /** How often a start reports which processes are not ready yet. */
  readonly noticeMs?: number;
};

const STOP_MS = 10_000;
const NOTICE_MS = 10_000;

/** The share of the time that one slow process may take before the next is asked too. */
const TURN = 0.3;

/** Keeps child processes running, and leaves none behind. */
export function createSupervisor({ output, timings, stopMs = STOP_MS, noticeMs = NOTICE_MS }: SupervisorOptions) {
  /** Groups in the order of their start: later ones depend on earlier ones. */
  const groups: SupervisedChild[][] = [];
  const passing = new AbortController();
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    passing.abort();
    // A signal to the whole process group reaches the children too, which then end before they are asked.
    for (const child of groups.flat()) {
      child.retire();
    }
    const deadline = Date.now() + stopMs;
    const ends: Promise<void>[] = [];
    for (const [before, group] of [...groups.entries()].toReversed()) {
      // Time is left for each group that these depend on, however slow these are.
      const ownDeadline = deadline - before * stopMs * TURN;
      for (const child of group.toReversed()) {
        const end = child.stop();
        ends.push(end);
        await endsBy(end, Math.min(Date.now() + stopMs * TURN, ownDeadline));
      }
      await endsBy(Promise.all(ends), ownDeadline);
    }
    const all = Promise.all(ends);
    if (!(await endsBy(all, deadline))) {
      output.say("Not everything ended in time; the rest is killed.");
      kill();
      await all;
    }
  }

  function kill(): void {
    passing.abort();
    for (const child of groups.flat()) {
      child.kill();
    }
  }

  return {
    /** Starts the processes at once and resolves when all are ready; throws when one never gets there. */
    start: async (specifications: readonly ChildSpecification[]): Promise<void> => {
      const added = specifications.map((specification) =>
        createSupervisedChild(specification, {
          onLine: output.childLine,
          say: output.say,
          ...(timings === undefined ? {} : { timings }),
        }),
      );
      groups.push(added);
      const startedAt = Date.now();
      const waiting = new Set(added.map(({ name }) => name));
      const notice = setInterval(
        () => output.say(`Still waiting for ${[...waiting].join(", ")} (${Math.round((Date.now() - startedAt) / 1000)} s) …`),
        noticeMs,
      );
      const begin = async (child: SupervisedChild) => {
        await child.start();
        waiting.delete(child.name);
      };
      await Promise.all(added.map(begin)).finally(() => clearInterval(notice));
    },
    /** Runs a process to its end, which is not started again, and resolves to what it last told; throws when it fails. */
    runOnce: (specification: ChildSpecification) => runChildOnce(specification, output.childLine, passing.signal),
    /** Ends all in reverse order; processes that take too long are killed. */
    stop: () => (stopping ??= stopAll()),
    /** Ends all at once. */
    kill,
  };
}

/** Resolves to whether it ends before that time. */
async function endsBy(end: Promise<unknown>, time: number): Promise<boolean> {
  return Promise.race([end.then(() => true), delay(Math.max(time - Date.now(), 0), false, { ref: false })]);
}

/** Runs a process to its end. @throws {Error} when it fails. */
function runChildOnce(
  specification: ChildSpecification,
  onLine: Output["childLine"],
  signal: AbortSignal,
): Promise<ChildMessage | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<ChildMessage | undefined>();
  const child = launchChild(specification, onLine);
  let lastMessage: ChildMessage | undefined;
  const end = () => child.kill("SIGKILL");
  signal.addEventListener("abort", end, { once: true });
  child.on("message", (message) => (lastMessage = parseChildMessage(message)));
  child.once("error", reject);
  child.once("close", (code, reason) => {
    signal.removeEventListener("abort", end);
    if (code === 0 || signal.aborted) {
      resolve(lastMessage);
    } else {
      reject(new Error(`${specification.name} failed (${reason ?? `exit code ${code}`}); its lines above say why.`));
    }
  });
  return promise;
}
