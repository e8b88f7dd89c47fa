import { z } from "zod";
import { nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";

/** What the platform makes unreadable in a project's events before anything of them is stored. */

/** What stands where something was masked. */
export const MASKED = "[masked]";

export const maskingPatternSchema = z.object({
  /** What the pattern finds, for people to read. */
  name: z.string().trim().min(1, "give the pattern a name").max(100).regex(WITHOUT_NUL, nulRefused),
  /** A regular expression in RE2's syntax: `(?i)` for either case, no look-around and no back references. */
  expression: z.string().min(1, "write an expression").max(500, "an expression has at most 500 characters").regex(WITHOUT_NUL, nulRefused),
});
export type MaskingPattern = z.infer<typeof maskingPatternSchema>;

/** All of a project's rules; what is left out is none. */
export const maskingRulesSchema = z.object({
  /** Names of fields whose values are masked whole, in upper or lower case; `*` stands for any characters. */
  keys: z
    .array(z.string().trim().min(1, "write a field's name").max(200).regex(WITHOUT_NUL, nulRefused))
    .max(100, "a project has at most 100 names of fields")
    .default([]),
  /** What is masked within texts. */
  patterns: z.array(maskingPatternSchema).max(50, "a project has at most 50 patterns").default([]),
});
export type MaskingRules = z.infer<typeof maskingRulesSchema>;

export const maskingSchema = maskingRulesSchema.extend({
  /** Null while nobody has set any. */
  changed_at: timestamp.nullable(),
  /** A user's id, or `operator`. */
  changed_by: z.string().nullable(),
});
export type Masking = z.infer<typeof maskingSchema>;

export const tryMaskingRequestSchema = maskingRulesSchema.extend({
  /** JSON or any other text. */
  sample: z.string().max(20_000, "a sample has at most 20000 characters"),
});
export type TryMaskingRequest = z.infer<typeof tryMaskingRequestSchema>;
export const triedMaskingSchema = z.object({ masked: z.string() });
