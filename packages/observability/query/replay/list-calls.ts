import type { Observation, RecordedCall } from "#contract.ts";
import { toHttpAnswer } from "./provider-answers.ts";
import { refuseCall } from "./refuse-call.ts";

const ANSWERED: ReadonlySet<unknown> = new Set(["llm", "tool", "retriever"]);

/** Whether a replay answers such steps. */
export const isAnswered = ({ kind }: { readonly kind: unknown }): boolean => ANSWERED.has(kind);

const MAX_REASONS = 100;
/** Characters of one. */
const MAX_REASON = 1_000;

/** A step, and which event of its producer ended it: calls that are shorter than a millisecond can run at once, too. */
export type RecordedStep = Observation & { readonly endSeq: number | null };

type Listed = { readonly calls: readonly RecordedCall[]; readonly reasons: readonly string[] };

/** The calls and visits of nodes that a replay meets again, by their paths, and why some can't be answered. Each step is to come after its parent. */
export function listCalls(steps: readonly RecordedStep[]): Listed {
  const running = toolsWithGraphs(steps);
  const calls: RecordedCall[] = [];
  const reasons: string[] = [];
  const counts = new Map<string, number>();
  const latest = new Map<string, RecordedStep>();
  // What ran below an answered call, whose place is null, does not run again.
  const places = new Map<string | null, string | null>();
  for (const step of steps) {
    const around = places.get(step.parent_id) ?? (places.has(step.parent_id) ? null : "");
    places.set(step.id, around);
    if (around !== null && (step.kind === "node" || isAnswered(step))) {
      const part = step.kind === "node" ? step.name : `${step.kind} ${step.name}`;
      const path = around === "" ? part : `${around} > ${part}`;
      const count = (counts.get(path) ?? 0) + 1;
      counts.set(path, count);
      const runs = step.kind === "node" || running.has(step.id);
      const key = `${path} ${JSON.stringify(step.input)}`;
      const found = step.kind === "node" ? [] : [...refuseCall(step, runs), ...(runs ? [] : refuseTwin(step, latest.get(key)))];
      reasons.push(
        ...found.map((reason) => `${path}, call ${count}: ${reason}`.slice(0, MAX_REASON)).slice(0, MAX_REASONS - reasons.length),
      );
      calls.push({ path, input: step.kind === "node" ? null : step.input, answer: runs ? null : toAnswer(step) });
      latest.set(key, step);
      places.set(step.id, runs ? path : null);
    }
  }
  return { calls, reasons };
}

/** Which of two calls that nothing tells apart gave which answer is not known where they ran at once. */
function refuseTwin(step: Observation, before: RecordedStep | undefined): readonly string[] {
  const isAtOnce = before !== undefined && (before.endSeq === null || before.endSeq > step.seq);
  const answerOf = ({ output, error }: Observation) => JSON.stringify([output, error]);
  return isAtOnce && answerOf(step) !== answerOf(before) ? ["another call of the same input ran at once, and had another answer"] : [];
}

function toAnswer(step: Observation): RecordedCall["answer"] {
  const { error, status, attributes } = step;
  const output = attributes["returned"] === "undefined" ? undefined : step.output;
  const told = status === "failure" && error === null;
  const http = step.kind === "llm" && !("run_id" in attributes) ? toHttpAnswer(step) : null;
  return { output, error, failed_call_id: told ? String(attributes["tool_call_id"]) : null, http };
}

function toolsWithGraphs(steps: readonly Observation[]): ReadonlySet<string> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const found = new Set<string>();
  for (const step of steps) {
    let above = step.kind === "graph" ? byId.get(step.parent_id ?? "") : undefined;
    while (above !== undefined && !found.has(above.id)) {
      if (above.kind === "tool") {
        found.add(above.id);
      }
      above = byId.get(above.parent_id ?? "");
    }
  }
  return found;
}
