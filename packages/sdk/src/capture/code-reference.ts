import { fileURLToPath } from "node:url";
import { findCodeOrigin, pathInRepository } from "./code-origin.ts";
import type { CodeReference } from "../event/event.ts";
import { memoize } from "../mask/memoize.ts";

/** `at name (file:///app/agent.js:12:5)` or `at file:///app/agent.js:12:5`. */
const FRAME = /^\s*at (?:.*\()?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?):(\d+):\d+\)?$/;
/** This package and the graph library lie there; their frames are not the application's. */
const LIBRARY = /[/\\]node_modules[/\\]/;
/** The folder above this room; that of the file itself where a bundler has put everything into one. */
const OWN_FOLDER = ownFile().replace(/(?:capture[/\\])?[^/\\]*$/, "");

/** The line of the application's code that is calling, under this name; undefined when the stack does not say. */
export function callerReference(name: string): CodeReference | undefined {
  const reference = referenceFromStack(new Error().stack ?? "");
  return reference === undefined ? undefined : { ...reference, function: name.slice(0, MAX_NAME_LENGTH) };
}

const MAX_NAME_LENGTH = 500;
const MAX_PATH_LENGTH = 4096;
/** The caller is the application as a rule, and each frame takes microseconds of it; else a few more are looked at. */
const FRAMES = [1, 6];
/** An application calls from the same few places again and again. */
const siteOfStack = memoize(referenceFromStack, { entries: 1000, keyLength: Infinity });

/** The line of the application's code that called; undefined when the stack does not say. It holds the stack until it is asked. */
export type CallSite = () => CodeReference | undefined;

/** Whether all calls by a name came from the application itself, as far as they were looked at. */
const isDirect = new Map<string, boolean>();
const MAX_NAMES = 1000;

/**
 * The line of the application's code that called `entrance`, a function of this package, to record `name`. Writing a frame out takes longer
 * than noting it, so it is left for later where the name's earlier calls have shown that one frame will do.
 */
export function callSite(entrance: (...given: never[]) => unknown, name: string): CallSite | CodeReference | undefined {
  const before = Error.stackTraceLimit;
  try {
    if (isDirect.get(name) === true) {
      const here = stackOf(entrance, 1);
      return () => readSite(here, name);
    }
    for (const frames of FRAMES) {
      const site = siteOfStack(stackOf(entrance, frames).stack ?? "");
      if (site !== undefined) {
        noteDirect(name, frames === 1 && isDirect.get(name) === undefined);
        return site;
      }
    }
    return undefined;
  } catch {
    // An application may forbid what this needs, or format stacks in a way of its own.
    return undefined;
  } finally {
    restoreTraceLimit(before);
  }
}

function stackOf(entrance: (...given: never[]) => unknown, frames: number): { readonly stack?: string } {
  const here: { stack?: string } = {};
  Error.stackTraceLimit = frames;
  Error.captureStackTrace(here, entrance);
  return here;
}

function readSite(here: { readonly stack?: string }, name: string): CodeReference | undefined {
  try {
    const site = siteOfStack(here.stack ?? "");
    if (site === undefined) {
      // A library has called by the same name: from now on all its calls are looked at at once.
      noteDirect(name, false);
    }
    return site;
  } catch {
    return undefined;
  }
}

function noteDirect(name: string, direct: boolean): void {
  if (isDirect.size >= MAX_NAMES) {
    isDirect.clear();
  }
  isDirect.set(name, direct);
}

function restoreTraceLimit(limit: number): void {
  try {
    Error.stackTraceLimit = limit;
  } catch {
    // It could not be changed above either.
  }
}

function referenceFromStack(stack: string): CodeReference | undefined {
  const frame = applicationFrame(stack);
  if (frame === undefined) {
    return undefined;
  }
  const { root, repo, commit } = findCodeOrigin(frame.file);
  const [, name] = /^\s*at (?:async )?([\w$.]+) \(/.exec(frame.text) ?? [];
  return {
    repo,
    commit,
    file: pathInRepository(frame.file, root).slice(0, MAX_PATH_LENGTH),
    line: frame.line,
    function: name?.slice(0, MAX_NAME_LENGTH),
  };
}

function applicationFrame(stack: string): { file: string; line: number; text: string } | undefined {
  for (const text of stack.split("\n")) {
    const [, place, line] = FRAME.exec(text) ?? [];
    const file = place === undefined ? undefined : asPath(place);
    if (file !== undefined && !LIBRARY.test(file) && !isOwn(file)) {
      return { file, line: Math.max(1, Number(line)), text };
    }
  }
  return undefined;
}

function isOwn(file: string): boolean {
  return OWN_FOLDER !== "" && file.startsWith(OWN_FOLDER) && !file.includes(".test.");
}

function asPath(place: string): string | undefined {
  try {
    return place.startsWith("file://") ? fileURLToPath(place) : place;
  } catch {
    return undefined;
  }
}

/** Read from the stack because ESM and CommonJS have different names for it. */
function ownFile(): string {
  const [, place] = FRAME.exec((new Error().stack ?? "").split("\n")[1] ?? "") ?? [];
  return place === undefined ? "" : (asPath(place) ?? "");
}
