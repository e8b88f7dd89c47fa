import { createHash } from "node:crypto";
import type { IssueFacts, ObservationKind } from "#contract.ts";
import type { CodePlace } from "#event-columns.ts";
import { readMessage, withoutIds } from "./read-message.ts";

/** A step on the way from where a failure arose up to the trace. */
export type StepAbove = { readonly kind: ObservationKind | null; readonly name: string | null; readonly code: CodePlace | null };

type Failing = {
  /** The step in which the failure arose, then those around it; none when the trace died of an error of its own. */
  readonly steps: readonly StepAbove[];
  readonly traceName: string | null;
  readonly error: string | null;
};

/** Characters of a name that are compared. */
const NAME = 200;
const UNNAMED = "unnamed";

/**
 * What makes two failures one issue: the names from the root down to the node in which it arose, the function nearest to it, the step's kind and name,
 * the class of the error, and its message without what varies. Not its line, which moves from release to release; not the edge that led there, since
 * one cause is often reached by several; and the trace's name only where the failure is of no step.
 */
export function factsOf({ steps, traceName, error }: Failing): IssueFacts {
  const [failed] = steps;
  const { errorClass, message } = readMessage(error ?? "");
  const node = steps.findIndex(({ kind }) => kind === "node");
  const path = steps.slice(Math.max(node, 0)).toReversed();
  return {
    path: failed === undefined ? [nameOf(traceName)] : path.map(({ name }) => nameOf(name)),
    function: codeNear(steps)?.function ?? null,
    kind: failed === undefined ? "trace" : (failed.kind ?? "span"),
    name: nameOf(failed === undefined ? traceName : failed.name),
    error_class: errorClass,
    message,
  };
}

/** The code nearest to a failure, looked for from its step up to the node around it. */
export function codeNear(steps: readonly StepAbove[]): CodePlace | null {
  const node = steps.findIndex(({ kind }) => kind === "node");
  return steps.slice(0, node === -1 ? undefined : node + 1).find(({ code }) => code !== null)?.code ?? null;
}

export function fingerprintOf(projectId: string, facts: IssueFacts): string {
  const { path, function: code, kind, name, error_class: errorClass, message } = facts;
  return (
    createHash("sha256")
      // What varies may be an id here and a number there.
      .update(JSON.stringify([projectId, path, code, kind, name, errorClass, message.replaceAll(/<\w+>/gu, "<>")]))
      .digest("hex")
  );
}

/** One line: `find_order: TimeoutError: no answer within <n> s`. */
export function titleOf({ name, error_class: errorClass, message }: IssueFacts): string {
  return [name, errorClass ?? "", message]
    .filter((part) => part !== "")
    .join(": ")
    .slice(0, 500)
    .toWellFormed();
}

function nameOf(name: string | null): string {
  return withoutIds(name ?? UNNAMED)
    .slice(0, NAME)
    .toWellFormed();
}
