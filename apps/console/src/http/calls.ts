import { z } from "zod";
import type { Call, Part } from "./send.ts";

type Rest = Omit<Call<unknown>, "part" | "method" | "path" | "answer" | "signal">;
type Answered<Answer> = { readonly answer: z.ZodType<Answer> };

/** What the APIs are asked: described here, and sent by a query (`answerTo`) or a change (`useChange`). */
export const identity = callsOf("identity");
export const codeIndex = callsOf("code-index");
export const observability = callsOf("observability");

function callsOf(part: Part) {
  const callBy = (method: NonNullable<Call<unknown>["method"]>) => {
    function call(path: string, rest?: Rest): Call<unknown>;
    function call<Answer>(path: string, rest: Rest & Answered<Answer>): Call<Answer>;
    function call(path: string, rest: Rest & Partial<Answered<unknown>> = {}): Call<unknown> {
      return { part, method, path, answer: z.unknown(), ...rest };
    }
    return call;
  };
  return { get: callBy("GET"), post: callBy("POST"), put: callBy("PUT"), patch: callBy("PATCH"), delete: callBy("DELETE") };
}

/** A path with what stands in it encoded: `` encoded`/api/v1/projects/${id}` ``. */
export function encoded(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}
