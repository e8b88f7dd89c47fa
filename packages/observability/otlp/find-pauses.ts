import type { OtlpSpan, OtlpValue } from "#otlp/wire/otlp-span.ts";
import type { SpanFacts } from "./span-facts.ts";
import type { GraphTask } from "#otlp/dialects/dialect.ts";

type Read = {
  readonly span: OtlpSpan;
  readonly facts: Pick<SpanFacts, "task" | "input">;
  readonly isInterrupted: boolean;
  readonly isStart: boolean;
};

/** How one trace's spans of a request hang together with another run of the same thread. */
export type Pause = {
  /** The checkpoints it waits at, by the spans that stopped it there. */
  readonly at: ReadonlyMap<string, string>;
  /** The spans that wait: the node, and what it runs in, which ends without an error. */
  readonly waiting: ReadonlySet<string>;
  /** The first task of a run that may go on from another one's checkpoint. */
  readonly from: { readonly checkpoint: string; readonly span: OtlpSpan } | undefined;
};

/**
 * LangGraph runs the task that was interrupted again when its run is resumed, under the same name, so both runs' spans name it. What a
 * run began with is the task of its lowest step; where the root, which may come later, is not among the spans, that may be any run.
 */
export function findPauses(spans: readonly Read[]): ReadonlyMap<string, Pause> {
  return new Map([...Map.groupBy(spans, ({ span }) => span.traceId)].map(([traceId, reads]) => [traceId, findPause(reads)]));
}

function findPause(reads: readonly Read[]): Pause {
  // The order of names is that of steps, and the lowest of several is the same in both runs.
  const tasks = reads
    .flatMap(({ span, facts: { task }, isInterrupted }) =>
      task === undefined || isNested(task) ? [] : [{ span, isInterrupted, checkpoint: checkpointOf(task) }],
    )
    .toSorted((left, right) => (left.checkpoint < right.checkpoint ? -1 : 1));
  const ended = new Set(tasks.filter(({ isInterrupted }) => !isInterrupted).map(({ checkpoint }) => checkpoint));
  const interrupted = tasks.filter(({ isInterrupted, checkpoint }) => isInterrupted && !ended.has(checkpoint));
  const parents = new Map(reads.map(({ span }) => [span.spanId, span.parentSpanId]));
  const waiting = new Set<string>();
  for (const { span } of interrupted) {
    for (let id: string | undefined = span.spanId; id !== undefined && parents.has(id) && !waiting.has(id); id = parents.get(id)) {
      waiting.add(id);
    }
  }
  const isResume = reads.some(({ facts }) => isCommand(facts.input)) || !reads.some(({ isStart }) => isStart);
  return {
    at: new Map(interrupted.map(({ span, checkpoint }) => [span.spanId, checkpoint])),
    waiting,
    from: isResume ? tasks[0] : undefined,
  };
}

function isNested({ task }: GraphTask): boolean {
  return task.includes("|");
}

function checkpointOf({ step, task }: GraphTask): string {
  return `${String(step).padStart(10, "0")} ${task}`.slice(0, 200);
}

/** `Command(resume=…)`, as the graph was called with it. */
function isCommand(input: OtlpValue | undefined): boolean {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return false;
  }
  const fields = new Map<string, OtlpValue>(Object.entries(input));
  return (fields.has("resume") && fields.has("goto")) || isCommand(fields.get("inputs"));
}
