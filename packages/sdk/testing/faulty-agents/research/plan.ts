import { model } from "./model.ts";
import type { Values } from "./state.ts";

export async function plan(state: Values) {
  const prompt = `Plan: ${state.topic}`;
  const query = (await model.invoke(prompt)).text;
  return { query };
}
