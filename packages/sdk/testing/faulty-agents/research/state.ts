import { Annotation } from "@langchain/langgraph";

export const State = Annotation.Root({
  number: Annotation<number>,
  topic: Annotation<string>,
  is_vip: Annotation<boolean>,
  query: Annotation<string>,
  found: Annotation<string>,
  grade: Annotation<string>,
  said: Annotation<string>,
});
export type Values = typeof State.State;
