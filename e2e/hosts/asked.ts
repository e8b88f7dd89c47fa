import { setTimeout as delay } from "node:timers/promises";
import type { Session } from "#identity-client.ts";

const ANSWER_MS = 10_000;
const PAUSE_MS = 250;
const SHOWN = 5;

export type Asking = {
  /** What went wrong first since the last time, in words. */
  readonly failures: () => readonly string[];
  readonly answers: () => number;
  /** The longest that a question waited for its answer since the last time, in milliseconds. */
  readonly longestMs: () => number;
  readonly stop: () => Promise<void>;
};

/** Asks one host after the other, like a balancer that tries the next one when the first does not answer within ten seconds. */
export async function askAny<Answer>(bases: readonly string[], path: string, session: Session): Promise<Answer> {
  const failures: string[] = [];
  for (const base of bases) {
    try {
      const answer = await fetch(`${base}${path}`, {
        headers: { authorization: `Bearer ${session.access_token}` },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      if (answer.ok) {
        return (await answer.json()) as Answer;
      }
      failures.push(`${base}${path} answered ${answer.status}: ${await answer.text()}`);
    } catch (error) {
      failures.push(`${base}${path}: ${String(error)}`);
    }
  }
  throw new Error(failures.join("; "));
}

/** Asks the same again and again; an answer that `isRight` does not take is a failure, too. */
export function keepAsking<Answer>(ask: () => Promise<Answer>, isRight: (answer: Answer) => boolean): Asking {
  let failed: string[] = [];
  let answers = 0;
  let longest = 0;
  const stopped = new AbortController();
  const work = (async () => {
    while (!stopped.signal.aborted) {
      const began = performance.now();
      try {
        const answer = await ask();
        if (isRight(answer)) {
          answers += 1;
        } else {
          failed.push(`wrong: ${JSON.stringify(answer).slice(0, 300)}`);
        }
      } catch (error) {
        failed.push(String(error));
      }
      longest = Math.max(longest, performance.now() - began);
      await delay(PAUSE_MS);
    }
  })();
  return {
    failures() {
      const found = failed.slice(0, SHOWN);
      failed = [];
      return found;
    },
    answers: () => answers,
    longestMs() {
      const found = Math.round(longest);
      longest = 0;
      return found;
    },
    async stop() {
      stopped.abort();
      await work;
    },
  };
}
