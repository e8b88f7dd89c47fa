import type { InspectorNotification, Debugger, Session } from "node:inspector";
import type { CodeReference } from "../event/event.ts";
import { asPath, isApplication, referenceAt } from "./code-reference.ts";

type Defined = (...given: never[]) => unknown;
type Location = { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber: number };

/** Under which the engine is told which function is meant, for as long as it is asked. */
const ASKED = Symbol.for("sightline.asked");
const MAX_SOURCE_LENGTH = 4096;

/** Of functions with one source text so many are asked after; then they are taken for closures, made anew by one line. */
const MAX_ASKS = 16;
const MAX_SOURCES = 1000;
const siteOfFunction = new WeakMap<Defined, { readonly site: CodeReference | undefined }>();
const sources = new Map<string, { readonly site: CodeReference | undefined; readonly asks: number }>();

/**
 * Where a function of the application is defined; undefined where the engine does not say. Its debugger knows, and is asked without stopping
 * anything: no code of the application runs meanwhile. It takes milliseconds, so each function is asked after once.
 */
export function definitionSite(defined: Defined): CodeReference | undefined {
  const known = siteOfFunction.get(defined);
  if (known !== undefined) {
    return known.site;
  }
  const source = Function.prototype.toString.call(defined);
  if (source.length > MAX_SOURCE_LENGTH || source.endsWith("{ [native code] }")) {
    return undefined;
  }
  const same = sources.get(source) ?? { site: undefined, asks: 0 };
  if (same.asks >= MAX_ASKS) {
    return same.site;
  }
  const site = askEngine(defined);
  siteOfFunction.set(defined, { site });
  if (sources.size >= MAX_SOURCES) {
    sources.clear();
  }
  sources.set(source, { site, asks: same.asks + 1 });
  return site;
}

/** By the engine's numbers, which it tells of all scripts at once: that takes long, so it is asked again only for a script that came later. */
const urls = new Map<string, string>();

function askEngine(defined: Defined): CodeReference | undefined {
  // Looked up, not imported: bundlers and other engines know no such module.
  const session = newSession();
  if (session === undefined) {
    return undefined;
  }
  session.connect();
  try {
    const location = locate(session, defined);
    if (location !== undefined && !urls.has(location.scriptId)) {
      session.on("Debugger.scriptParsed", ({ params }: InspectorNotification<Debugger.ScriptParsedEventDataType>) =>
        urls.set(params.scriptId, params.url),
      );
      session.post("Debugger.enable");
    }
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
