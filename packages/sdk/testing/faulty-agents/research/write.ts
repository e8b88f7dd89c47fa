import { model } from "./model.ts";
import type { Values } from "./state.ts";

export async function write(state: Values) {
  const prompt = `Write: ${state.found}`;
  const said = (await model.invoke(prompt)).text;
  return { said };
}
