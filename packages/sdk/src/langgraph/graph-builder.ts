import { callerReference } from "../capture/code-reference.ts";
import { definitionSite } from "../capture/definition-site.ts";
import { readTraceName } from "../capture/given-options.ts";
import { quietly } from "../capture/loose-values.ts";
import type { CodeReference } from "../event/event.ts";
import { declareGraph, type TracedGraphFacts } from "./graph-facts.ts";
import { readStructure } from "./graph-structure.ts";
import { createRunHandler } from "./run-handler.ts";
import { isSwitchedOff } from "../settings/settings.ts";

export type TracedGraphOptions = {
  /** What its traces are called; also the compiled graph's name unless `compile` is given one. */
  readonly traceName: string;
};

type Method = (...inputs: unknown[]) => unknown;
/**
 * Adds tracing to one builder: its compiled graphs get a callback handler in their configuration, which LangGraph merges with the
 * application's own callbacks and passes on to everything that runs inside.
 */
export function traceBuilder(builder: object, options: TracedGraphOptions): void {
  if (isSwitchedOff()) {
    return;
  }
  const traceName = readTraceName(options);
  const code = new Map<string, CodeReference>();
  wrapMethod(builder, "addNode", (addNode, inputs) => {
    const added: unknown = addNode(...inputs);
    quietly(() => rememberCode(code, inputs));
    return added;
  });
  wrapMethod(builder, "compile", (compile, inputs) => {
    const [given] = inputs;
    const compileOptions = typeof given === "object" ? given : {};
    const compiled: unknown = compile({ ...(traceName === "" ? {} : { name: traceName }), ...compileOptions });
    return quietly(() => attach(compiled, traceName, code)) ?? compiled;
  });
}

/** The same for a graph that is compiled already; what it returns is traced, the given graph stays as it is. */
export function traceCompiled(compiled: object, options: TracedGraphOptions): unknown {
  return isSwitchedOff() ? compiled : (quietly(() => attach(compiled, readTraceName(options), new Map())) ?? compiled);
}

/** An own property, so that the builder stays an instance of the very class the application knows. */
function wrapMethod(target: object, name: string, around: (original: Method, inputs: unknown[]) => unknown): void {
  const found: unknown = Reflect.get(target, name);
  if (typeof found !== "function") {
    return;
  }
  const value = (...inputs: unknown[]): unknown => around((...given) => Reflect.apply(found, target, given), inputs);
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

function attach(compiled: unknown, traceName: string, code: ReadonlyMap<string, CodeReference>): unknown {
  if (typeof compiled !== "object" || compiled === null) {
    return undefined;
  }
  const withConfig: unknown = Reflect.get(compiled, "withConfig");
  if (typeof withConfig !== "function") {
    return undefined;
  }
  const facts: Writable<TracedGraphFacts> = { traceName, code, structure: undefined, declared: undefined };
  const traced: unknown = Reflect.apply(withConfig, compiled, [{ callbacks: [createRunHandler(facts)] }]);
  // The copy's: an agent of `createAgent` makes a new graph for it.
  facts.structure = quietly(() => readStructure(graphOf(traced)));
  facts.declared = facts.structure === undefined ? undefined : declareGraph(facts.structure.drawing);
  return traced;
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** An agent of LangChain's `createAgent` holds its graph. */
function graphOf(traced: unknown): object {
  const whole = Object(traced) as object;
  const held: unknown = Reflect.get(whole, "graph");
  return typeof held === "object" && held !== null ? held : whole;
}

/** addNode takes a name and an action, a list of them, or an object of them. */
function rememberCode(code: Map<string, CodeReference>, inputs: readonly unknown[]): void {
  const [first, second] = inputs;
  const nodes: readonly (readonly [string, unknown])[] =
    typeof first === "string"
      ? [[first, second]]
      : Array.isArray(first)
        ? first.flatMap((node: unknown) => (Array.isArray(node) ? [[String(node[0]), node[1]] as const] : []))
        : Object.entries(first ?? {});
  for (const [name, action] of nodes) {
    const defined = typeof action === "function" && action.name !== "" ? (action as (...given: never[]) => unknown) : undefined;
    const reference = (defined && quietly(() => definitionSite(defined))) ?? callerReference(defined?.name ?? name);
    if (reference !== undefined) {
      code.set(name, reference);
    }
  }
}
