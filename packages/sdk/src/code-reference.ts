import { fileURLToPath } from "node:url";
import { findCodeOrigin, pathInRepository } from "./code-origin.ts";
import type { CodeReference } from "./event.ts";

/** `at name (file:///app/agent.js:12:5)` or `at file:///app/agent.js:12:5`. */
const FRAME = /^\s*at (?:.*\()?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?):(\d+):\d+\)?$/;
/** Where this package and the graph library lie; their frames are not the application's. */
const LIBRARY = /[/\\]node_modules[/\\]/;
const OWN_FOLDER = ownFile().replace(/[^/\\]*$/, "");

/** The line of the application's code that is calling, from the stack; undefined when the stack does not say. */
export function callerReference(name: string | undefined): CodeReference | undefined {
  const frame = applicationFrame(new Error().stack ?? "");
  if (frame === undefined) {
    return undefined;
  }
  const { root, repo, commit } = findCodeOrigin(frame.file);
  const file = pathInRepository(frame.file, root).slice(0, 4096);
  return { repo, commit, file, line: frame.line, function: name?.slice(0, 500) };
}

function applicationFrame(stack: string): { file: string; line: number } | undefined {
  for (const text of stack.split("\n")) {
    const [, place, line] = FRAME.exec(text) ?? [];
    const file = place === undefined ? undefined : asPath(place);
    if (file !== undefined && !LIBRARY.test(file) && !isOwn(file)) {
      return { file, line: Math.max(1, Number(line)) };
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
