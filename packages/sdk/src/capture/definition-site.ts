import type { InspectorNotification, Debugger, Session } from "node:inspector";
import { memoize } from "../mask/memoize.ts";
import type { CodeReference } from "../event/event.ts";
import { asPath, isApplication, referenceAt } from "./code-reference.ts";

type Defined = (...given: never[]) => unknown;
type Location = { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber: number };

/** Under which the engine is told which function is meant, for as long as it is asked. */
const ASKED = Symbol.for("sightline.asked");
const MAX_SOURCE_LENGTH = 4096;

/**
 * Where a function of the application is defined; undefined where the engine does not say. Its debugger knows, and is asked without stopping
 * anything: no code of the application runs meanwhile. It takes milliseconds, so it is asked once for each source text.
 */
export function definitionSite(defined: Defined): CodeReference | undefined {
  asked = defined;
  const source = Function.prototype.toString.call(defined);
  return source.length > MAX_SOURCE_LENGTH || source.endsWith("{ [native code] }") ? undefined : siteOfSource(`${defined.name}\n${source}`);
}

let asked: Defined | undefined;
const siteOfSource = memoize(() => (asked === undefined ? undefined : askEngine(asked)), { entries: 1000, keyLength: Infinity });

function askEngine(defined: Defined): CodeReference | undefined {
  // Looked up, not imported: bundlers and other engines know no such module.
  const session = newSession();
  if (session === undefined) {
    return undefined;
  }
  const urls = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }: InspectorNotification<Debugger.ScriptParsedEventDataType>) =>
    urls.set(params.scriptId, params.url),
  );
  session.connect();
  try {
    session.post("Debugger.enable");
    const location = locate(session, defined);
    const url = location === undefined ? undefined : urls.get(location.scriptId);
    return location === undefined || url === undefined ? undefined : toReference(url, location, defined.name);
  } finally {
    session.disconnect();
  }
}

function newSession(): Session | undefined {
  const inspector = process.getBuiltinModule?.("node:inspector");
  return inspector === undefined ? undefined : new inspector.Session();
}

function locate(session: Session, defined: Defined): Location | undefined {
  let found: Location | undefined;
  Object.defineProperty(globalThis, ASKED, { value: defined, configurable: true });
  try {
    session.post("Runtime.evaluate", { expression: `globalThis[Symbol.for("${ASKED.description}")]` }, (_, { result }) => {
      session.post("Runtime.getProperties", { objectId: result.objectId ?? "", ownProperties: true }, (_error, { internalProperties }) => {
        found = internalProperties?.find(({ name }) => name === "[[FunctionLocation]]")?.value?.value as Location | undefined;
      });
    });
    return found;
  } finally {
    Reflect.deleteProperty(globalThis, ASKED);
  }
}

/** Of compiled code the line that was written, where the application has source maps on. */
function toReference(url: string, { lineNumber, columnNumber }: Location, name: string): CodeReference | undefined {
  const entry = process
    .getBuiltinModule("node:module")
    .findSourceMap(asPath(url) ?? url)
    ?.findEntry(lineNumber, columnNumber);
  const isMapped = entry !== undefined && "originalSource" in entry;
  const file = asPath(isMapped ? entry.originalSource : url);
  const line = (isMapped ? entry.originalLine : lineNumber) + 1;
  return file !== undefined && isApplication(file) ? referenceAt({ file, line, name }) : undefined;
}
