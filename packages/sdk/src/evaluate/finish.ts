import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "./api.ts";
import type { Progress } from "./progress.ts";
import type { Experiment } from "./result.ts";
import { sdkState } from "../client/sdk-state.ts";

const FLUSH_MILLISECONDS = 5000;
const TRACES_MILLISECONDS = 60_000;
const MAX_PAUSE = 5000;

type Ending = {
  readonly api: Api;
  /** Of the experiment. */
  readonly path: string;
  readonly state: "finished" | "cancelled";
  readonly progress: Progress;
  /** Whether traces may come. */
  readonly isTraced: boolean;
  /** Ends it at once, as cancelled. */
  readonly signal: AbortSignal;
};

/** Ends it when the traces that its checks need have arrived, or did not for a minute. */
export async function finishExperiment({ api, path, state, progress, isTraced, signal }: Ending): Promise<Experiment> {
  const began = performance.now();
  await sdkState.publisher?.flush(FLUSH_MILLISECONDS);
  let pause = 250;
  let before = -1;
  for (;;) {
    const wait = !signal.aborted && isTraced && performance.now() < began + TRACES_MILLISECONDS;
    const experiment = await api.post<Experiment>(`${path}/finish`, { state: signal.aborted ? "cancelled" : state, wait });
    const { unchecked } = experiment.runs;
    if (unchecked === 0 || signal.aborted || (!wait && unchecked === before)) {
      return experiment;
    }
    before = unchecked;
    if (wait) {
      if (pause === MAX_PAUSE) {
        progress.say("waiting for traces, which checks need; does a consumer run?");
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 1.5, MAX_PAUSE);
    }
  }
}
