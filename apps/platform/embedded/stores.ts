import { fileURLToPath } from "node:url";
import { makeFolder } from "@sightline/foundation/files/make-folder";
import { HomeTakenError, lockHome, type HomeLock } from "#embedded/home-lock.ts";
import { provideRedisServer } from "#embedded/redis-binary.ts";
import { endLeftoverRedis } from "#embedded/redis-leftover.ts";
import type { Setting } from "#settings/environment.ts";
import type { Output } from "#supervisor/log-lines.ts";
import { environmentOfStore } from "#settings/roles.ts";
import { provideSecrets } from "#settings/secrets.ts";
import type { ChildSpecification } from "#supervisor/launch-child.ts";
import { createSupervisor } from "#supervisor/supervisor.ts";

/** Adds the secrets that the embedded mode makes for itself. */
export async function withSecrets(setting: Setting): Promise<Setting> {
  if (!setting.embeddedPostgres) {
    return setting;
  }
  const secrets = await provideSecrets(setting.platform.SIGHTLINE_HOME, setting.environment);
  const given = Object.fromEntries(Object.entries(setting.environment).filter(([, value]) => value !== ""));
  return { ...setting, environment: { ...secrets, ...given } };
}

/** Makes the data folder, locks it for this process, and makes sure that the embedded stores can run. */
export async function reserveStores({ platform, embeddedPostgres, embeddedRedis }: Setting, output: Output): Promise<HomeLock> {
  if (!embeddedPostgres && !embeddedRedis) {
    // Mirrors of repositories and compiled code are kept there.
    await makeFolder(platform.SIGHTLINE_HOME, { mode: 0o700 });
    return { release: async () => undefined };
  }
  const lock = await lockHome(platform.SIGHTLINE_HOME);
  try {
    if (embeddedRedis) {
      await endLeftoverRedis(platform.SIGHTLINE_HOME);
      await provideRedisServer({ mayInstall: platform.SIGHTLINE_INSTALL, say: output.say, ask: output.ask });
    }
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** A store may have much to read after a crash, and killing it would make it begin again. */
const STORE_READY_MS = 600_000;

/** Describes the processes of the embedded stores. */
export function storeChildren({ embeddedPostgres, embeddedRedis, environment: whole }: Setting): readonly ChildSpecification[] {
  const environment = environmentOfStore(whole);
  return [
    ...(embeddedPostgres ? [{ name: "postgres", program: programOf("postgres"), words: [], environment, readyMs: STORE_READY_MS }] : []),
    ...(embeddedRedis ? [{ name: "redis", program: programOf("redis"), words: [], environment, readyMs: STORE_READY_MS }] : []),
  ];
}

/** Runs `work` while the embedded database runs; the database is started for it unless Sightline runs already. */
export async function withRunningDatabase<Result>(setting: Setting, output: Output, work: () => Promise<Result>): Promise<Result> {
  if (!setting.embeddedPostgres) {
    return work();
  }
  const lock = await lockHome(setting.platform.SIGHTLINE_HOME).catch((error: unknown) => {
    if (!(error instanceof HomeTakenError)) {
      throw error;
    }
    output.say(`${error.fact}; using its database.`);
    return undefined;
  });
  if (lock === undefined) {
    return work();
  }
  const supervisor = createSupervisor({ output });
  try {
    await supervisor.start(storeChildren({ ...setting, embeddedRedis: false }));
    return await work();
  } finally {
    await supervisor.stop();
    await lock.release();
  }
}

function programOf(store: "postgres" | "redis"): string {
  return fileURLToPath(new URL(`${store}.ts`, import.meta.url));
}
