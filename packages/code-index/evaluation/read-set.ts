import { readdir, readFile } from "node:fs/promises";
import { z } from "zod";
import { QUESTIONS, type EvalQuery } from "./query-set.ts";

const lineSchema = z.int().min(1);
const targetSchema = z.strictObject({ path: z.string(), lines: z.tuple([lineSchema, lineSchema]).optional() });

/** The gain of a place that answers in part. */
const PART = 0.5;

/** What people ask of one repository: `sets/<owner>+<name>.json`, described in sets/README.md. */
const setSchema = z.strictObject({
  repository: z.string().regex(/^[^/]+\/[^/]+$/),
  language: z.string(),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  /** The folder of the code that is asked about; "" for the whole repository. */
  root: z.string(),
  /** The half that it is of, where the rankings that are there have not learned from it. */
  half: z.enum(["judge", "choose"]).optional(),
  questions: z.array(
    z.strictObject({
      kind: z.enum(QUESTIONS),
      text: z.string().min(1),
      targets: z.array(targetSchema).min(1),
      secondary: z.array(targetSchema).default([]),
    }),
  ),
  reports: z
    .array(
      z.strictObject({
        issue: z.int(),
        /** The commit that fixed it. */
        fix: z.string().regex(/^[0-9a-f]{40}$/),
        title: z.string().min(1),
        body: z.string().min(1),
        /** Those that the fix changed, tests and documents apart. */
        files: z.array(z.string()).min(1),
      }),
    )
    .default([]),
});

export type AskedSet = {
  readonly language: string;
  readonly commit: string;
  readonly half?: "judge" | "choose" | undefined;
  /** The commits that fixed what is reported. */
  readonly fixes: readonly string[];
  readonly queries: readonly EvalQuery[];
};

const SETS = new URL("sets/", import.meta.url);

/** What people ask of a repository, by its name without the owner; `undefined` where nothing was collected. */
export async function readAskedSet(name: string): Promise<AskedSet | undefined> {
  const file = (await readdir(SETS)).find((entry) => entry.endsWith(`+${name}.json`));
  if (file === undefined) {
    return undefined;
  }
  const { language, commit, root, half, questions, reports } = setSchema.parse(JSON.parse(await readFile(new URL(file, SETS), "utf8")));
  const folder = root === "" ? "" : root.replace(/\/?$/, "/");
  const asked = questions.map(({ kind, text, targets, secondary }): EvalQuery => {
    const partly = secondary.map((target) => ({ ...target, gain: PART }));
    return { family: kind, language, text, targets: [...targets, ...partly] };
  });
  const reported = reports.map(({ title, body, files }): EvalQuery => ({
    family: "report",
    language,
    text: `${title}\n\n${body}`,
    targets: files.map((path) => ({ path })),
  }));
  const within = asked.map((query): EvalQuery => ({ ...query, within: folder }));
  return { language, commit, half, fixes: reports.map(({ fix }) => fix), queries: [...asked, ...within, ...reported] };
}
