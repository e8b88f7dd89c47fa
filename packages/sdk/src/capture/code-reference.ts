import { isAbsolute } from "node:path";
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

/** From where a body was run before: one line of the application's, or several, which only the stack tells apart. */
type Origin = { readonly stack: string; readonly site: CodeReference; looks: number } | "several";

/**
 * By name and by the body's own source. Walking the stack takes longer than all else that a call does on the application's thread, and
 * the same source under the same name comes from one line, unless somebody copied it; so it is looked at again now and then.
 */
const origins = new Map<string, Map<string, Origin>>();
const MAX_ORIGINS = 1000;
const MAX_SOURCE_LENGTH = 4096;
/** How often it is looked at again: at first, and once it was the same line so many times. */
const CHECKED_SHARE = 1 / 16;
const TRUSTED_SHARE = 1 / 128;
const LOOKS_OF_TRUST = 16;
let originCount = 0;

/**
 * The line of the application's code that called `entrance`, a function of this package, to record `name` while `body` runs; undefined
 * when the stack does not say.
 */
export function callSite(entrance: (...given: never[]) => unknown, name: string, body: () => unknown): CodeReference | undefined {
  const before = Error.stackTraceLimit;
  try {
    const source = name.length > MAX_NAME_LENGTH ? undefined : sourceOf(body);
    const known = source === undefined ? "several" : origins.get(name)?.get(source);
    if (known !== undefined && known !== "several" && Math.random() >= (known.looks < LOOKS_OF_TRUST ? CHECKED_SHARE : TRUSTED_SHARE)) {
      return known.site;
    }
    for (const frames of FRAMES) {
      const stack = stackOf(entrance, frames);
      const site = siteOfStack(stack);
      if (site !== undefined) {
        const isSame = frames === FRAMES[0] && (known === undefined || (known !== "several" && known.stack === stack));
        if (source !== undefined && known !== "several") {
          noteOrigin(name, source, isSame ? { stack, site, looks: (known?.looks ?? 0) + 1 } : "several");
        }
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

/** Undefined where it does not tell bodies apart: bound and native functions all look the same. */
function sourceOf(body: () => unknown): string | undefined {
  const source = Function.prototype.toString.call(body);
  return source.length > MAX_SOURCE_LENGTH || source.endsWith("{ [native code] }") ? undefined : source;
}

function stackOf(entrance: (...given: never[]) => unknown, frames: number): string {
  const here: { stack?: string } = {};
  Error.stackTraceLimit = frames;
  Error.captureStackTrace(here, entrance);
  return here.stack ?? "";
}

function noteOrigin(name: string, source: string, origin: Origin): void {
  if (originCount >= MAX_ORIGINS) {
    origins.clear();
    originCount = 0;
  }
  const ofName = origins.get(name) ?? new Map<string, Origin>();
  origins.set(name, ofName);
  originCount += ofName.has(source) ? 0 : 1;
  ofName.set(source, origin);
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
  const [, name] = /^\s*at (?:async )?([\w$.]+) \(/.exec(frame?.text ?? "") ?? [];
  return frame === undefined ? undefined : referenceAt({ ...frame, name });
}

type Place = { readonly file: string; readonly line: number; readonly name: string | undefined };

/** @param place `file` is its whole path, `line` counts from 1. */
export function referenceAt({ file, line, name }: Place): CodeReference {
  const { root, repo, commit } = findCodeOrigin(file);
  return {
    repo,
    commit,
    file: pathInRepository(file, root).slice(0, MAX_PATH_LENGTH),
    line,
    function: name?.slice(0, MAX_NAME_LENGTH),
  };
}

function applicationFrame(stack: string): { file: string; line: number; text: string } | undefined {
  for (const text of stack.split("\n")) {
    const [, place, line] = FRAME.exec(text) ?? [];
    const file = place === undefined ? undefined : asPath(place);
    if (file !== undefined && isApplication(file)) {
      return { file, line: Math.max(1, Number(line)), text };
    }
  }
  return undefined;
}

/** Whether it is neither a library's nor this package's. */
export function isApplication(file: string): boolean {
  return isAbsolute(file) && !LIBRARY.test(file) && !isOfSdk(file);
}

export function isOfSdk(file: string): boolean {
  return OWN_FOLDER !== "" && file.startsWith(OWN_FOLDER) && !file.includes(".test.");
}

export function asPath(place: string): string | undefined {
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
