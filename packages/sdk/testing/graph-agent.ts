import { Annotation } from "@langchain/langgraph";
import { createTracedGraph } from "#src/langgraph.ts";

/** An agent, how it is run, and what is known of its run because of how it is built. */
export type GraphAgent = {
  readonly name: string;
  readonly status: "success" | "failure" | "interrupted";
  /** `from -via-> to`, with ` ×n` when it was gone more than once. */
  readonly taken: readonly string[];
  /** Traces it makes; 1 unless said. */
  readonly traces?: number;
  readonly run: (traceName: string) => Promise<unknown>;
};

export const State = Annotation.Root({
  seen: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});
export type Values = typeof State.State;

export const empty = { seen: [] };
export const mark = (name: string) => () => ({ seen: [name] });
/** Takes another time in every run, so that whoever looks at the clock gets another graph. */
export const slowly = (name: string) => async () => {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
  return { seen: [name] };
};
export const build = (traceName: string) => createTracedGraph(State, { traceName });
export const inThread = () => ({ configurable: { thread_id: crypto.randomUUID() } });
