import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { withDatabase } from "#processes.ts";
import { repository, runScript } from "#scripts.ts";

export type Filled = {
  readonly url: string;
  readonly tenantId: string;
  readonly schema: string;
  readonly chunks: number;
  readonly remove: () => Promise<void>;
};

type Filling = {
  readonly postgresUrl: string;
  readonly chunks: number;
  readonly distinct: number;
  readonly paths: readonly string[];
  /** Leaves the database, and uses the one that was left. */
  readonly keep: boolean;
};

const RUN_SQL = "packages/foundation/testing/run-sql.ts";

export async function fillIndex({ postgresUrl, chunks, distinct, paths, keep }: Filling): Promise<Filled> {
  const name = keep ? `bench_retrieval_${chunks}` : `bench_${randomBytes(8).toString("hex")}`;
  const known = await runScript(RUN_SQL, postgresUrl, `select datname from pg_database where datname = '${name}'`);
  if (known.trim() === "[]") {
    await runScript(RUN_SQL, postgresUrl, `create database ${name}`);
  }
  const url = withDatabase(postgresUrl, name);
  const words = ["--max-old-space-size=6000", "packages/code-index/testing/fill-index.ts", url, String(chunks), String(distinct), ...paths];
  const child = spawn(process.execPath, words, { cwd: repository, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await once(child, "exit");
  if (child.exitCode !== 0) {
    throw new Error(`the index could not be filled (${child.exitCode})`);
  }
  return {
    ...(JSON.parse(printed) as { tenantId: string; schema: string; chunks: number }),
    url,
    remove: async () => {
      if (!keep) {
        await runScript(RUN_SQL, postgresUrl, `drop database ${name} with (force)`);
      }
    },
  };
}
