import type { Api } from "./api.ts";
import { EvaluationError, RefusedError } from "./evaluation-error.ts";
import { shortText } from "./json-value.ts";
import type { Progress } from "./progress.ts";
import type { Experiment } from "./result.ts";
import type { Run } from "./run-item.ts";

const BATCH_RUNS = 50;
const BATCH_BYTES = 8_000_000;
const BATCH_MILLISECONDS = 1000;
/** Answers to a batch that one odd value in it may be the cause of. */
const OF_A_VALUE = new Set([400, 413, 500]);

/** Reports runs in batches as they end. What the platform does not take stays in `waiting`. */
export class Reporter {
  waiting: Run[] = [];
  /** Dollars until now, if there is a maximum. */
  cost: number;
  /** Why nothing is reported any more. */
  failure: EvaluationError | undefined;
  readonly #api: Api;
  readonly #path: string;
  readonly #progress: Progress;
  readonly #maxCost: number | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(api: Api, path: string, progress: Progress, maxCost: number | undefined, cost: number) {
    this.cost = cost;
    this.#api = api;
    this.#path = path;
    this.#progress = progress;
    this.#maxCost = maxCost;
  }

  get isOver(): boolean {
    return this.failure !== undefined || (this.#maxCost !== undefined && this.cost >= this.#maxCost);
  }

  start(): void {
    this.#timer = setTimeout(() => void this.#work(), BATCH_MILLISECONDS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** One at a time, so that no run is reported twice. */
  async flush(): Promise<void> {
    this.#flushing = this.#flushing.then(async () => await this.#flush());
    await this.#flushing;
  }

  async #work(): Promise<void> {
    await this.flush();
    if (this.#maxCost !== undefined && this.failure === undefined) {
      // One that can't be asked now is asked again with the next batch.
      const found = await this.#api.get<Experiment>(this.#path).catch(() => undefined);
      this.cost = found?.cost ?? this.cost;
    }
    if (this.#timer !== undefined && this.failure === undefined) {
      this.start();
    }
  }

  async #flush(): Promise<void> {
    while (this.waiting.length > 0 && this.failure === undefined) {
      const batch = firstBatch(this.waiting);
      try {
        await this.#report(batch);
        this.waiting.splice(0, batch.length);
      } catch (error) {
        this.failure = error instanceof EvaluationError ? error : new EvaluationError(shortText(error));
      }
    }
  }

  /** One odd value costs its run, never the others. */
  async #report(batch: readonly Run[]): Promise<void> {
    try {
      await this.#api.post(`${this.#path}/runs`, { runs: batch });
    } catch (refusal) {
      if (!(refusal instanceof RefusedError) || !OF_A_VALUE.has(refusal.status)) {
        throw refusal;
      }
      for (const run of batch) {
        await (batch.length > 1 ? this.#report([run]) : this.#reportRefused(run, refusal));
      }
    }
  }

  async #reportRefused(run: Run, refusal: RefusedError): Promise<void> {
    const { item_id, repetition, attempt, trace_id } = run;
    this.#progress.say(`a run of item ${item_id} was refused and counts as failed: ${refusal.message}`);
    const error = `it was refused: ${shortText(refusal.message)}`;
    await this.#api.post(`${this.#path}/runs`, { runs: [{ item_id, repetition, attempt, trace_id, state: "failed", error }] });
  }
}

function firstBatch(waiting: readonly Run[]): readonly Run[] {
  let size = 0;
  const end = waiting.findIndex((run, index) => {
    size += Buffer.byteLength(JSON.stringify(run));
    return index === BATCH_RUNS || (index > 0 && size > BATCH_BYTES);
  });
  return end === -1 ? [...waiting] : waiting.slice(0, end);
}
