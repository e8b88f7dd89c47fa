import { randomBytes } from "node:crypto";
import { withDatabase } from "#processes.ts";
import { runScript } from "#scripts.ts";
import type { Explained } from "./plans.ts";

type HistoryTimes = {
  readonly times: readonly { readonly what: string; readonly took: readonly number[] }[];
  readonly plans: readonly Explained[];
};

const RUN_SQL = "packages/foundation/testing/run-sql.ts";

/** What is asked of a branch with so many commits, on a database of its own. */
export async function timeHistory(postgresUrl: string, commits: number): Promise<HistoryTimes> {
  const name = `bench_${randomBytes(8).toString("hex")}`;
  await runScript(RUN_SQL, postgresUrl, `create database ${name}`);
  try {
    const printed = await runScript("packages/code-index/testing/time-history.ts", withDatabase(postgresUrl, name), String(commits));
    return JSON.parse(printed) as HistoryTimes;
  } finally {
    await runScript(RUN_SQL, postgresUrl, `drop database ${name} with (force)`);
  }
}
