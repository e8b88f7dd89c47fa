import { rename, rm } from "node:fs/promises";
import { errorCode } from "@sightline/foundation/errors";

/**
 * Puts a folder in the place of another, which is never there in part. Several processes may do it at once, as when a product is started
 * twice: whoever comes last wins.
 */
export async function replaceFolder(place: string, fresh: string): Promise<void> {
  const old = `${fresh}-old`;
  for (let isReplaced = false; !isReplaced;) {
    await move(place, old, ["ENOENT"]);
    isReplaced = await move(fresh, place, ["ENOTEMPTY", "EEXIST"]);
    await rm(old, { recursive: true, force: true });
  }
}

/** @returns false when it fails for one of the reasons. */
async function move(from: string, to: string, reasons: readonly string[]): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (reasons.includes(errorCode(error) ?? "")) {
      return false;
    }
    throw error;
  }
}
