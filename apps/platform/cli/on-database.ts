import { createLog } from "@sightline/foundation/log";
import { prepare, waitForDatabases, withParts, type Parts } from "#compose/prepare.ts";
import { withRunningDatabase, withSecrets } from "#embedded/stores.ts";
import { resolveSetting, type Setting } from "#settings/environment.ts";
import { withRunningAddresses } from "#settings/running.ts";
import { createOutput } from "#supervisor/log-lines.ts";

/** Runs a task of the command line against the database that is set, or the embedded one. Its own notes go to stderr. */
export async function onDatabase(work: (setting: Setting) => Promise<void>): Promise<void> {
  const setting = await withSecrets(resolveSetting(await withRunningAddresses(process.env)));
  const output = createOutput({ format: "pretty", write: (text) => process.stderr.write(text), color: false });
  await withRunningDatabase(setting, output, () => work(setting));
}

type PartsOptions = {
  /** Whether the databases are migrated and their tenants set up before; otherwise they only have to answer. */
  readonly prepared: boolean;
  /** Whether it fails where the database can't have the code index. */
  readonly needsCode?: boolean;
};

/** Runs a task of the command line on the parts. `name` is the log's. */
export function onParts(
  name: string,
  work: (parts: Parts) => Promise<void>,
  { prepared, needsCode = false }: PartsOptions = { prepared: true },
): Promise<void> {
  return onDatabase(async ({ environment, platform }) => {
    const log = createLog({ name, level: "warn", destination: process.stderr });
    const waitSeconds = platform.SIGHTLINE_WAIT_SECONDS;
    await (prepared
      ? prepare(environment, log, waitSeconds, { firstAdmin: false, needsCode })
      : waitForDatabases(environment, log, waitSeconds));
    await withParts(environment, log, work);
  });
}
