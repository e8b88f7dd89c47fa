import { z } from "zod";
import { branchSchema } from "#branch-schema.ts";

/** Inputs that tools have in common, described the same everywhere. */

export const repoField = z.string().max(200).optional().describe("owner/repo, as list_repos names it. All repositories when left out.");

export const oneRepoField = z.string().min(1).max(200).describe("owner/repo, as list_repos names it.");

export const pathField = z
  .string()
  .max(1000)
  .optional()
  .describe("Part of the path, such as src/server/ or *.test.ts; * stands for anything.");

export const langField = z
  .string()
  .max(50)
  .optional()
  .describe("Language, such as go, python or typescript; short names (py, ts) do, too.");

/** Its rule is no part of what models are told of every tool: they take names from answers. */
const branchField = z
  .string()
  .max(200)
  .refine((name) => branchSchema.safeParse(name).success, "not the name of a branch");

export const refField = branchField.optional().describe("A branch that is indexed; the default one when left out.");

export const cursorField = z.string().min(1).max(2_000).optional().describe("The cursor of the answer before, to go on.");
