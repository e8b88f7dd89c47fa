import { ANSWERED, type GivenAnswer, type RecordedAnswer, type Replay, type StartedStep } from "../client/replays.ts";
import { maskTexts } from "../event/event-text.ts";
import { firstDifference, toComparable } from "./comparable.ts";
import { type ErrorClass, recordedError, ReplayStoppedError } from "./errors.ts";

/** What a replay does where it goes another way than the recording. */
export type OnDivergence = "stop" | "live";

/** A call of the recording, or a visit of a node, as the platform lists them: `path` is the names of the nodes around it, then its kind and name. */
export type RecordedCall = {
  readonly path: string;
  readonly input: unknown;
  /** Null where it is not answered: of a node, or a tool in which a graph ran. */
  readonly answer: GivenAnswer | null;
};

type Call = RecordedCall & { readonly number: number; readonly key: string; isUsed: boolean };

/** A replay that is under way: told of every step that starts, it answers the calls among them from the recording. */
export class Session implements Replay {
  readonly #calls: readonly Call[];
  readonly #byPath = new Map<string, Call[]>();
  readonly #onDivergence: OnDivergence;
  readonly #errors: readonly ErrorClass[];
  readonly #places = new Map<unknown, string>();
  readonly #counts = new Map<string, number>();
  /** Calls that have not asked for their answer. */
  readonly #started = new Map<string, { readonly path: string; readonly call: Call | undefined }>();
  divergence: string | undefined;
  answered = 0;
  readonly live: string[] = [];
  isStopped = false;

  constructor(calls: readonly RecordedCall[], onDivergence: OnDivergence = "stop", errors: readonly ErrorClass[] = []) {
    this.#calls = calls.map((given) => {
      const input = toComparable(given.input);
      const ofPath = this.#byPath.get(given.path) ?? [];
      const call = { ...given, input, key: JSON.stringify(input), number: ofPath.length + 1, isUsed: false };
      ofPath.push(call);
      this.#byPath.set(given.path, ofPath);
      return call;
    });
    this.#onDivergence = onDivergence;
    this.#errors = errors;
  }

  note<Step extends StartedStep>(step: Step): Step {
    const { observation_id: id, kind, name, attributes, input } = step;
    const isCall = ANSWERED.has(kind) && attributes?.["source"] !== "_tools_executed";
    const around = this.#places.get(step.parent_id) ?? "";
    this.#places.set(id, around);
    if (!isCall && kind !== "node") {
      return step;
    }
    const path = [...(around === "" ? [] : [around]), isCall ? `${String(kind)} ${name}` : name].join(" > ");
    this.#places.set(id, path);
    const before = this.divergence;
    const call = before === undefined ? this.#match(path, isCall ? input : null, attributes?.["stream"] === true) : undefined;
    if (isCall) {
      this.#started.set(id, { path, call });
    }
    return before === this.divergence ? step : { ...step, attributes: { ...attributes, replay_divergence: this.divergence } };
  }

  answer(observationId: string | undefined, label: string): RecordedAnswer | undefined {
    const { path, call } = this.#started.get(observationId ?? "") ?? { path: label, call: undefined };
    this.#started.delete(observationId ?? "");
    if (call !== undefined) {
      this.answered += call.answer === null ? 0 : 1;
      return call.answer === null ? undefined : toAnswer(call.answer, this.#errors);
    }
    this.#diverge(path, this.#counts.get(path) ?? 1, "it can't be answered");
    if (this.#onDivergence !== "live") {
      this.isStopped = true;
      throw new ReplayStoppedError(this.divergence);
    }
    this.live.push(path);
    return undefined;
  }

  /** The agent has ended: says what ran without being answered, and what was recorded and did not happen. */
  finish(): void {
    if (this.isStopped) {
      return;
    }
    for (const { path, call } of this.#started.values()) {
      const answer = call?.answer;
      // A call that failed when it was recorded may have failed before it was made.
      const hasFailed = (answer?.error ?? answer?.failed_call_id ?? null) !== null;
      if (call === undefined || (answer !== null && !hasFailed)) {
        this.live.push(path);
        this.#diverge(path, this.#counts.get(path) ?? 1, "it can't be answered");
      }
    }
    for (const { path, number } of this.#calls.filter(({ isUsed }) => !isUsed)) {
      this.#diverge(path, number, "it was recorded, and did not happen");
    }
  }

  #match(path: string, payload: unknown, isStream: boolean): Call | undefined {
    const number = (this.#counts.get(path) ?? 0) + 1;
    this.#counts.set(path, number);
    const copy: unknown = JSON.parse(JSON.stringify(payload ?? null));
    const given = toComparable(maskTexts(copy));
    const key = JSON.stringify(given);
    const unused = (this.#byPath.get(path) ?? []).filter(({ isUsed }) => !isUsed);
    const found = unused.find((call) => call.key === key);
    const [first] = unused;
    if (found !== undefined && (found.answer?.http?.is_stream ?? isStream) !== isStream) {
      this.#diverge(path, found.number, "it was recorded as a stream, and is none now, or the other way round");
      return undefined;
    }
    if (found !== undefined) {
      found.isUsed = true;
    } else if (first === undefined) {
      this.#diverge(path, number, "the recording has none");
    } else {
      this.#diverge(path, first.number, `its input differs from the recorded one at ${firstDifference(first.input, given)}`);
    }
    return found;
  }

  #diverge(path: string, number: number, how: string): void {
    this.divergence ??= `${path}, call ${number}: ${how}`;
  }
}

function toAnswer(given: GivenAnswer, errors: readonly ErrorClass[]): RecordedAnswer {
  return {
    ...given,
    value: () => {
      if (given.error !== null) {
        throw recordedError(given.error, errors);
      }
      return given.output;
    },
  };
}
