import { repositoryName, type StackError, type StackFrame, type StackTrace } from "#contract.ts";
import { plural } from "./recorded-text.ts";

/** Calls of libraries that are named where an error has none of the application's. */
const LIBRARY_CALLS = 5;

/** A stack in few words: where each error was raised, then the application's own calls, newest first; those of libraries are counted. */
export function renderStack({ repo, commit, errors, omitted = 0, text }: StackTrace): string {
  const place = repo === undefined ? [] : [`of ${repositoryName(repo)}${commit === undefined ? "" : `@${commit.slice(0, 12)}`}`];
  const told = errors.flatMap((error) => [...headOf(error, errors), ...linesOf(error)]);
  const more = omitted === 0 ? [] : [`and ${plural(omitted, "error")} more`];
  return [...(told.length === 0 ? [] : place), ...told, ...more, ...(text === undefined ? [] : [text])].join("\n");
}

function headOf({ relation, of = 0, type = "", message = "" }: StackError, errors: readonly StackError[]): readonly string[] {
  const other = of === 0 ? "it" : (errors[of]?.type ?? "it");
  return relation === undefined ? [] : [`${relation} of ${other}: ${[type, message].filter((part) => part !== "").join(": ")}`];
}

function linesOf({ frames, omitted = 0 }: StackError): readonly string[] {
  const own = frames.filter(({ own: isOwn }) => isOwn === true);
  const shown = own.length === 0 ? frames.slice(0, LIBRARY_CALLS) : frames[0]?.own === true ? own : [...frames.slice(0, 1), ...own];
  const left = frames.length - shown.length;
  return [
    ...shown.map((frame) => `  ${lineOf(frame)}`),
    ...(left === 0 ? [] : [`  + ${plural(left, "call")} of libraries`]),
    ...(omitted === 0 ? [] : [`  + ${plural(omitted, "older call")}`]),
  ];
}

function lineOf({ file, line, function: name, own }: StackFrame): string {
  return `${file}${line === undefined ? "" : `:${line}`}${name === undefined ? "" : ` (${name})`}${own === true ? "" : " in a library"}`;
}
