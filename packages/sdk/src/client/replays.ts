/** Kinds of steps whose calls are answered. */
export const ANSWERED: ReadonlySet<unknown> = new Set(["llm", "tool", "retriever"]);

/** What a recorded call gave, as `GET …/traces/:trace_id/replay` lists it. */
export type GivenAnswer = {
  readonly output: unknown;
  /** As `Class: message`. */
  readonly error: string | null;
  /** The id by which the model asked for a tool that told of its failure in a message. */
  readonly failed_call_id: string | null;
  /** What the provider sent; null of other calls. */
  readonly http: { readonly status: number; readonly is_stream: boolean; readonly body: string } | null;
};

export type RecordedAnswer = GivenAnswer & {
  /** What the call gave. Throws what it threw. */
  readonly value: () => unknown;
};

/** A step that starts. */
export type StartedStep = {
  readonly observation_id: string;
  readonly parent_id?: string | null | undefined;
  readonly kind: unknown;
  readonly name: string;
  readonly input?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
};

/** A replay that is under way, as those see it who record steps and make calls. */
export type Replay = {
  /** A step starts, of which this is recorded, before texts in it are masked. Gives it with a mark where the replay diverges at it. */
  readonly note: <Step extends StartedStep>(step: Step) => Step;
  /**
   * What answers the call; undefined where it is to be made. `label` names one of which nothing is recorded.
   *
   * @throws {ReplayStoppedError}
   */
  readonly answer: (observationId: string | undefined, label: string) => RecordedAnswer | undefined;
};
