import { resolveSetting, type Setting } from "#settings/environment.ts";
import { createOutput } from "#supervisor/log-lines.ts";
import { withRunningDatabase, withSecrets } from "#embedded/stores.ts";

/** Runs a task of the command line against the database that is set, or the embedded one. Its own notes go to stderr. */
export async function onDatabase(work: (setting: Setting) => Promise<void>): Promise<void> {
  const setting = await withSecrets(resolveSetting(process.env));
  const output = createOutput({ format: "pretty", write: (text) => process.stderr.write(text), color: false });
  await withRunningDatabase(setting, output, () => work(setting));
}
