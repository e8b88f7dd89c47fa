import { type CodeOrigin, findCodeOrigin, pathInRepository } from "./code-origin.ts";
import { asPath, isApplication, isOfSdk } from "./code-reference.ts";
import type { StackError, StackFrame, StackTrace } from "../event/event.ts";
import { textOf } from "../settings/text-of.ts";

/** As the event schema has them, and the SDK for Python. */
const MAX_FRAMES = 50;
const MAX_CAUSES = 5;
const MAX_MEMBERS = 20;
const MAX_ERRORS = 30;
const MAX_LENGTH = 16_384;
const MAX_PATH_LENGTH = 4096;
const MAX_NAME_LENGTH = 500;
/** Of an error's stack, which an application may format in its own way. */
const MAX_TEXT_LENGTH = 65_536;
/** Characters of a frame's JSON beside its path and function. */
const FRAME_LENGTH = 50;

/** Of `at name (file:///app/agent.js:12:5)`, `at async file:///app/agent.js:12:5`, `at node:internal/timers:590:17`. */
const BEGIN = /^\s*at (?:async )?/;
const END = /:(\d{1,9}):\d{1,9}(\)?)$/;

type Behind = { readonly error: unknown; readonly relation?: StackError["relation"]; readonly of?: number; readonly causes: number };

/**
 * From where a failure came: its calls and those of the errors behind it, never their variables. Undefined for what has no stack.
 *
 * @param messageOf A bounded and masked text of an error.
 * @returns The field, and about how many characters it takes.
 */
export function readStack(failure: unknown, messageOf: (error: unknown) => string): { stack: StackTrace; length: number } | undefined {
  if (typeof failure !== "object" || failure === null || textOfStack(failure) === "") {
    return undefined;
  }
  const errors: StackError[] = [];
  const waiting: Behind[] = [{ error: failure, causes: 0 }];
  const seen = new Set<unknown>([failure]);
  const place = createPlacer();
  let [left, omitted] = [MAX_LENGTH, 0];
  for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
    if (errors.length === MAX_ERRORS || left <= 0) {
      omitted += waiting.length + 1;
      break;
    }
    const { relation, of } = each;
    // Of the failure itself the field `error` says type and message.
    const told = relation === undefined ? {} : { relation, of, type: typeOf(each.error), message: messageOf(each.error) };
    left -= (told.type?.length ?? 0) + (told.message?.length ?? 0);
    const calls = readCalls(each.error);
    const frames: StackFrame[] = [];
    for (const call of calls.newest) {
      const frame = place(call);
      left -= frame.file.length + (frame.function?.length ?? 0) + FRAME_LENGTH;
      if (left < 0) {
        break;
      }
      frames.push(frame);
    }
    errors.push({ ...told, frames, ...(calls.count > frames.length ? { omitted: calls.count - frames.length } : {}) });
    const behind = errorsBehind(each, errors.length - 1).filter(({ error }) => !seen.has(error));
    const kept = behind.filter(({ causes }) => causes <= MAX_CAUSES);
    omitted += behind.length - kept.length + Math.max(0, membersOf(each.error).length - MAX_MEMBERS);
    kept.forEach(({ error }) => seen.add(error));
    waiting.push(...kept);
  }
  return { stack: { ...place.origin(), errors, ...(omitted > 0 ? { omitted } : {}) }, length: MAX_LENGTH - left };
}

/** The step around the one that failed with an error last, by the error. */
const passedTo = new WeakMap<object, string>();

/** Whether a step right below has failed with the same error, and so tells its stack. Notes where the error goes on to. */
export function isToldBelow(failure: unknown, step: string, around: string): boolean {
  if (typeof failure !== "object" || failure === null) {
    return false;
  }
  const isTold = passedTo.get(failure) === step;
  passedTo.set(failure, around);
  return isTold;
}

function errorsBehind({ error, causes }: Behind, of: number): readonly Behind[] {
  const { cause } = Object(error) as { cause?: unknown };
  const caused = cause === undefined || cause === null ? [] : [{ error: cause, relation: "cause" as const, of, causes: causes + 1 }];
  const members = membersOf(error).slice(0, MAX_MEMBERS);
  return [...caused, ...members.map((member) => ({ error: member, relation: "member" as const, of, causes }))];
}

function membersOf(error: unknown): readonly unknown[] {
  return error instanceof AggregateError && Array.isArray(error.errors) ? error.errors : [];
}

function typeOf(error: unknown): string {
  return (error instanceof Error ? (textOf(error.name) ?? "Error") : typeof error).slice(0, MAX_NAME_LENGTH);
}

function textOfStack(error: unknown): string {
  const { stack } = Object(error) as { stack?: unknown };
  return typeof stack === "string" ? stack : "";
}

type Call = { readonly file: string; readonly line: number; readonly name: string | undefined };

/** The newest calls, and how many there are of all; those within this package are none. */
function readCalls(error: unknown): { readonly newest: readonly Call[]; readonly count: number } {
  const stack = textOfStack(error);
  const { message } = Object(error) as { message?: unknown };
  // A line of the message may look like a call.
  const head = typeof message === "string" && stack.includes(message) ? stack.indexOf(message) + message.length : 0;
  const calls = stack
    .slice(head, head + MAX_TEXT_LENGTH)
    .split("\n")
    .flatMap((text) => readCall(text.trimEnd()) ?? []);
  return { newest: calls.slice(0, MAX_FRAMES), count: calls.length };
}

function readCall(text: string): Call | undefined {
  const [begin, end] = [BEGIN.exec(text), END.exec(text)];
  if (begin === null || end === null) {
    return undefined;
  }
  const words = text.slice(begin[0].length, end.index);
  const open = end[2] === ")" ? words.indexOf(" (") : -1;
  const place = open < 0 ? words : words.slice(open + 2);
  const file = asPath(place) ?? place;
  return isOfSdk(file) ? undefined : { file, line: Number(end[1]), name: open < 0 ? undefined : words.slice(0, open) };
}

/** Own calls stand at their path in the repository of the first of them; what lies in another repository keeps its whole path. */
function createPlacer() {
  let first: CodeOrigin | undefined;
  const place = ({ file, line, name }: Call): StackFrame => {
    const own = isApplication(file);
    const origin = own ? findCodeOrigin(file) : undefined;
    first ??= origin;
    const path = origin !== undefined && origin.root === first?.root ? pathInRepository(file, origin.root) : file;
    return {
      file: path.slice(0, MAX_PATH_LENGTH),
      ...(line > 0 ? { line } : {}),
      ...(name === undefined ? {} : { function: name.slice(0, MAX_NAME_LENGTH) }),
      ...(own ? { own } : {}),
    };
  };
  return Object.assign(place, { origin: () => ({ repo: first?.repo, commit: first?.commit }) });
}
