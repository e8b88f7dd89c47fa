import { z } from "zod";
import { jsonObjectSchema, jsonValueSchema, nulRefused, WITHOUT_NUL } from "./parts.ts";

/** Checks: what must hold of a run, as data that the server evaluates. Deterministic and free; the same for live traces. */

const name = z.string().trim().min(1, "name it").max(200).regex(WITHOUT_NUL, nulRefused);
/** How the check is called in lists; without it, it is called by what it demands. */
const common = { name: name.optional() };
/** A JSON pointer (RFC 6901) into the output, the arguments or the state, such as `/answer/0`; `""` is all of it. */
const pointer = z
  .string()
  .max(500)
  .regex(/^(?:\/(?:[^~]|~[01])*)?$/, "a JSON pointer is empty or starts with /")
  .default("");

const valueChecks = [
  z.strictObject({ ...common, type: z.literal("equals"), path: pointer, value: jsonValueSchema }),
  /** A text contains it; a list has it as an element. */
  z.strictObject({ ...common, type: z.literal("contains"), path: pointer, value: jsonValueSchema }),
  /** A regular expression (RE2), found anywhere in the text. */
  z.strictObject({ ...common, type: z.literal("matches"), path: pointer, pattern: z.string().min(1).max(1_000) }),
  /** It fits a JSON schema. */
  z.strictObject({ ...common, type: z.literal("schema"), path: pointer, schema: jsonObjectSchema }),
] as const;
/** What is demanded of one value. */
const valueCheckSchema = z.discriminatedUnion("type", valueChecks);
export type ValueCheck = z.infer<typeof valueCheckSchema>;

export const checkSchema = z.discriminatedUnion("type", [
  ...valueChecks,
  /** A tool was called so many times, counting calls whose arguments fit `with`; `before`: and, where both were, first before that one. */
  z
    .strictObject({
      ...common,
      type: z.literal("tool"),
      tool: name,
      /** Its `path` leads into the arguments. */
      with: valueCheckSchema.optional(),
      at_least: z.int().min(0).max(1e6).default(1),
      at_most: z.int().min(0).max(1e6).optional(),
      before: name.optional(),
    })
    .refine(({ at_least: least, at_most: most }) => most === undefined || least <= most, {
      path: ["at_most"],
      message: "at_least, which is 1 if it is left out, is above it",
    }),
  /** An edge of the graph was taken, or never. */
  z.strictObject({ ...common, type: z.literal("edge"), from: name, to: name, taken: z.boolean().default(true) }),
  /** A value of the graph's state changed between its beginning and its end, or never. */
  z.strictObject({
    ...common,
    type: z.literal("state"),
    path: pointer.unwrap().min(2, "name the key, such as /balance"),
    changed: z.boolean().default(true),
  }),
  /** No more than that of it. */
  z.strictObject({
    ...common,
    type: z.literal("limit"),
    of: z.enum(["tokens", "cost", "duration_ms", "steps"]),
    at_most: z.number().min(0),
  }),
  /** The run ended without an error. */
  z.strictObject({ ...common, type: z.literal("succeeds") }),
]);
export type Check = z.infer<typeof checkSchema>;
export const checksSchema = z.array(checkSchema).max(50, "at most 50 checks");
/** The score of a run, by its item's own checks; evaluators of checks have other names. */
export const ITEM_CHECKS = "checks";

export function isByItem({ source, name: of }: { readonly source: string; readonly name: string }): boolean {
  return source === "check" && of === ITEM_CHECKS;
}

/** `null`: it could not be evaluated, and the reason says why; never counted as passed. */
export const checkResultSchema = z.object({ name: z.string(), passed: z.boolean().nullable(), reason: z.string() });
export type CheckResult = z.infer<typeof checkResultSchema>;
