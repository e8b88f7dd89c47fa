import { setTimeout as wait } from "node:timers/promises";

const MAX_TRIES = 8;
const MAX_WAIT_MS = 120_000;
const TIMEOUT_MS = 60_000;

/** `fetch` that asks again, later, where the other side is busy (429, 5xx) or away; it waits as long as `Retry-After` says. */
export async function fetchPatiently(url: string | URL | Request, options: RequestInit = {}): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    // A try has a time of its own; the caller's would be over by the second.
    const asked = fetch(url, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) });
    // eslint-disable-next-line no-await-in-loop -- the next try is for when this one failed.
    const answer = await (tries === MAX_TRIES ? asked : asked.catch(() => undefined));
    if (answer !== undefined && ((answer.status !== 429 && answer.status < 500) || tries === MAX_TRIES)) {
      return answer;
    }
    // eslint-disable-next-line no-await-in-loop -- so is the wait.
    await Promise.all([answer?.body?.cancel(), wait(pauseOf(answer, tries))]);
  }
}

function pauseOf(answer: Response | undefined, tries: number): number {
  const said = answer?.headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(said) ? Number(said) : (Date.parse(said) - Date.now()) / 1_000;
  return Math.min(Number.isFinite(seconds) ? Math.max(seconds, 0) * 1_000 : 500 * 2 ** tries, MAX_WAIT_MS);
}
