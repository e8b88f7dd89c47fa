import { z } from "zod";
import { fileKindSchema, filtersSchema, flagSchema } from "./search.ts";

/** Searches that people save and watch; safe to import in a browser. */

const timestamp = z.iso.datetime();

/** The most that a person may save, and of those watch. */
export const MAX_SAVED_SEARCHES = 100;
export const MAX_WATCHED_SEARCHES = 50;

const nameSchema = z.string().trim().min(1, "give the search a name").max(200);

/** What is looked for: the query of a search, or the pattern of a grep, and where. */
export const savedQuerySchema = filtersSchema.extend({
  kind: z.enum(["search", "grep"]),
  query: z.string().min(1, "say what to look for").max(10_000),
  /** For grep: the query is a regular expression. */
  regex: flagSchema.default(false),
  /** For grep: letters count as they are written. */
  match_case: flagSchema.default(false),
  /** For search: what files are for. */
  file_kind: fileKindSchema.optional(),
});
export type SavedQuery = z.infer<typeof savedQuerySchema>;

/** Without a name it is called by the beginning of its query. */
export const saveSearchRequestSchema = savedQuerySchema
  .extend({ name: nameSchema.optional() })
  .refine(
    (given) => Object.values(given).every((value) => typeof value !== "string" || (!value.includes("\0") && value.isWellFormed())),
    "a NUL character or half a character can't be saved",
  );

export const changeSavedSearchRequestSchema = z.object({
  name: nameSchema.regex(/^[^\0]*$/, "a NUL character can't be in a name").optional(),
  /** Whether lines that match and are added from now on are told. */
  watch: z.boolean().optional(),
  /** Whether they are mailed to the person's own address, too. */
  by_email: z.boolean().optional(),
  /** Marks the alerts found until then as read. */
  read_until: timestamp.optional(),
});

export const savedSearchSchema = savedQuerySchema.extend({
  id: z.uuid(),
  name: z.string(),
  watch: z.boolean(),
  by_email: z.boolean(),
  /** New lines that match, and alerts that only have a note. */
  unread: z.int(),
  /** Why it can't be watched; null when it can. */
  not_watchable: z.string().nullable(),
  created_at: timestamp,
});
export type SavedSearch = z.infer<typeof savedSearchSchema>;

/** The newest first; `mail` says whether this server can tell by e-mail. */
export const savedSearchesSchema = z.object({ items: z.array(savedSearchSchema), mail: z.boolean() });
export type SavedSearches = z.infer<typeof savedSearchesSchema>;

export const watchAlertSchema = z.object({
  repo: z.string(),
  ref: z.string(),
  /** The lines were added after `base`, up to `commit`. */
  base: z.string(),
  commit: z.string(),
  /** Lines that match; `lines` are the first of them, as they were at `commit`. */
  matches: z.int(),
  lines: z.array(z.object({ path: z.string(), line: z.int(), text: z.string() })),
  /** Says what was left out, and why; null where nothing was. */
  note: z.string().nullable(),
  is_new: z.boolean(),
  found_at: timestamp,
});
export type WatchAlert = z.infer<typeof watchAlertSchema>;
export type WatchLine = WatchAlert["lines"][number];

/** The newest first. */
export const watchAlertsSchema = z.object({ items: z.array(watchAlertSchema) });
