import { needsPrograms } from "@sightline/foundation/testing/programs";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { expect, test } from "vitest";
import { startDocumentedWorld } from "#testing/documented-world.ts";
import { readDocuments, type Fence } from "#testing/read-documents.ts";

const programs = needsPrograms("bash", "curl", "git", "openssl");
/** Some thirty commands, each a process that loads the product. */
const RUN_MS = 1_800_000;
const OUTPUT = "text output";

/** Blocks marked `sh run` and `sh run stopped`, each with the output that is said to follow. */
async function readRunnable(mark: string): Promise<readonly { readonly fence: Fence; readonly output: string | undefined }[]> {
  return (await readDocuments()).flatMap(({ fences }) =>
    fences.flatMap((fence, index) => {
      const next = fences[index + 1];
      return fence.info === mark ? [{ fence, output: next?.info === OUTPUT ? next.text : undefined }] : [];
    }),
  );
}

/** `…` stands for anything. */
function expressionOf(output: string): RegExp {
  const parts = output.split("…").map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^]*")}$`);
}

// A real database is backed up and restored.
const options = { skip: needsRealPostgres.skip || programs.skip, timeout: RUN_MS };

test(`commands in the documents do what is said of them${programs.note}`, options, async () => {
  const world = await startDocumentedWorld();
  const wrong: string[] = [];
  const runAll = async (mark: string) => {
    for (const { fence, output } of await readRunnable(mark)) {
      const { code, out, error } = await world.run(fence);
      if (code !== 0 || (output !== undefined && !expressionOf(output).test(out.trim()))) {
        wrong.push(`${fence.page}:${fence.line} ended with ${code}\n${out}\n${error}`);
      }
    }
  };
  try {
    await runAll("sh run");
    await world.stopProduct();
    await runAll("sh run stopped");
  } finally {
    await world.close();
  }
  expect(wrong.join("\n\n")).toBe("");
});
