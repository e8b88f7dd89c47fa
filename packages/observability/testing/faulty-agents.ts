import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findPython } from "@sightline/foundation/testing/find-python";
import type { Fault } from "./planted-faults.ts";

const run = promisify(execFile);
const SDK = fileURLToPath(new URL("../../sdk", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../../../apps/platform/sightline.ts", import.meta.url));
const SDK_PYTHON = fileURLToPath(new URL("../../sdk-python", import.meta.url));

type Item = { readonly number: number; readonly is_vip: boolean };
export type FaultyAgent = {
  readonly name: "refunds" | "research" | "support";
  readonly language: "Python" | "TypeScript";
  readonly item: (of: Item) => { readonly input: object; readonly expected: string };
};

/** A graph of LangGraph for Python, one of LangGraph.js, and functions with the plain SDK; their models answer by a script, and word it by chance. */
export const FAULTY_AGENTS: readonly FaultyAgent[] = [
  {
    name: "refunds",
    language: "Python",
    item: (of) => {
      const wanted = of.is_vip || of.number % 2 === 0;
      const input = { ...of, amount: 100 + of.number, text: wanted ? "I want my money back" : "Which colours are there?" };
      return { input, expected: wanted ? `paid ${input.amount} for ${of.number}` : "asked" };
    },
  },
  {
    name: "research",
    language: "TypeScript",
    item: (of) => ({ input: { ...of, topic: `topic ${of.number}` }, expected: `Report on pages about topic ${of.number}` }),
  },
  {
    name: "support",
    language: "Python",
    item: (of) => {
      const known = of.is_vip || of.number % 2 === 0;
      const input = { ...of, text: known ? "Where is my parcel?" : "Hello?" };
      return { input, expected: known ? `order ${of.number} is on its way` : `a colleague looks after ${of.number}` };
    },
  },
];

/** An agent in a repository of its own, as somebody's checkout, of which each fault is a commit. */
export async function checkOut({ name, language }: FaultyAgent, environment: NodeJS.ProcessEnv) {
  const folder = await mkdtemp(join(tmpdir(), `sightline-${name}-`));
  const isPython = language === "Python";
  const source = isPython ? join(SDK_PYTHON, "testing/faulty_agents") : join(SDK, "testing/faulty-agents");
  await cp(join(source, name), join(folder, name), { recursive: true });
  await writeFile(join(folder, ".gitignore"), "node_modules\n__pycache__\n");
  if (!isPython) {
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await mkdir(join(folder, "node_modules/@sightline"), { recursive: true });
    await symlink(SDK, join(folder, "node_modules/@sightline/sdk"));
    for (const library of ["@langchain", "zod"]) {
      await symlink(join(SDK, "node_modules", library), join(folder, "node_modules", library));
    }
  }
  const git = (...words: string[]) =>
    run("git", ["-c", "user.name=test", "-c", "user.email=test@example.org", ...words], { cwd: folder }).then(({ stdout }) =>
      stdout.trim(),
    );
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "--message=An agent that works");
  const python = { ...environment, PYTHONPATH: join(SDK_PYTHON, "src"), PYTHONDONTWRITEBYTECODE: "1" };
  return {
    folder,
    git,
    plant: async ({ file, from, to }: Fault) => {
      const path = join(folder, file);
      const text = await readFile(path, "utf8");
      if (text.split(from).length < 2) {
        throw new Error(`${file} has no ${from}.`);
      }
      await git("checkout", "--quiet", "-B", "change");
      await writeFile(
        path,
        text.replace(from, () => to),
      );
      await git("commit", "--quiet", "--all", "--message=A change");
      return await git("rev-parse", "HEAD");
    },
    /** Takes a fault out again. */
    mend: () => git("checkout", "--quiet", "main"),
    /** `sightline eval` as CI runs it. */
    gate: async (...words: string[]) => {
      const child = run(process.execPath, [PROGRAM, "eval", ...words], { cwd: folder, env: environment, timeout: 120_000 });
      return await child
        .catch((error: { readonly code: number; readonly stdout: string; readonly stderr: string }) => error)
        .then((end) => ({ code: 0, ...end }));
    },
    /** @returns the id of the experiment. */
    evaluate: async (dataset: string, experiment: string) => {
      const [program, ...words] = isPython ? [findPython() ?? "python3", "-m", `${name}.evals`] : [process.execPath, `${name}/evals.ts`];
      const { stdout } = await run(program, [...words, dataset, experiment], {
        cwd: folder,
        env: isPython ? python : environment,
        timeout: 120_000,
      });
      return stdout.trim();
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
