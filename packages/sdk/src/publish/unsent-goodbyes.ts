import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../settings/settings.ts";
import type { StreamConnection } from "./stream-connection.ts";

/**
 * The last word of a producer that ended while the stream took nothing. Said by a later process in its place, it is how the platform
 * learns which numbers are missing. It holds no content: the number, the counts of what was dropped, the ids.
 */
export type Goodbye = {
  readonly producer_id: string;
  readonly id: string;
  readonly seq: number;
  readonly ts: string;
  readonly body: string;
};

const MAX_KEPT = 100;
/** The platform forgets a producer no sooner than three days after its last event, and would then take all its numbers for lost. */
const MAX_AGE = 2 * 24 * 60 * 60 * 1000;

/** Keeps a goodbye in a file for the next start on this machine; false where that is not possible. Never throws. */
export function keepGoodbye(projectId: string, goodbye: Goodbye): boolean {
  try {
    const folder = cacheFolder();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (readdirSync(folder).length >= MAX_KEPT) {
      return false;
    }
    const path = join(folder, `${projectId}.${goodbye.producer_id}`);
    writeFileSync(path, JSON.stringify(goodbye), { mode: 0o600 });
    renameSync(path, `${path}.json`);
    return true;
  } catch {
    return false;
  }
}

/**
 * Says what earlier processes of the project could not, in their place, and forgets what is too old, of any project. Two that say it at
 * once say it under the same id. Never throws.
 */
export async function deliverGoodbyes(connection: StreamConnection, projectId: string, timeout: number): Promise<void> {
  const endsAt = Date.now() + timeout;
  try {
    const folder = cacheFolder();
    for (const name of (await readdir(folder)).filter((each) => each.endsWith(".json"))) {
      const path = join(folder, name);
      const goodbye = readGoodbye(await readFile(path, "utf8"));
      if (goodbye !== undefined) {
        if (!name.startsWith(`${projectId}.`)) {
          continue;
        }
        const { producer_id, ...entry } = goodbye;
        const { failure } = await connection.append([{ ...entry, type: "producer.bye" }], producer_id, Math.max(1, endsAt - Date.now()));
        if (failure !== undefined) {
          return;
        }
      }
      await rm(path, { force: true });
    }
  } catch {
    // No folder, or none that may be read: nothing was kept.
  }
}

/** Undefined when it is too old, or not ours. */
function readGoodbye(text: string): Goodbye | undefined {
  try {
    const read = JSON.parse(text) as Goodbye;
    const isWhole = [read.producer_id, read.id, read.body].every((field) => typeof field === "string") && Number.isSafeInteger(read.seq);
    const isOurs = isWhole && /^[\x20-\x7e]*$/.test(`${read.id}${read.ts}`);
    return isOurs && Date.parse(read.ts) > Date.now() - MAX_AGE ? read : undefined;
  } catch {
    return undefined;
  }
}
