import { takeFolderLock, type FolderLock } from "@sightline/foundation/files/folder-lock";

export type HomeLock = Pick<FolderLock, "release">;

/**
 * Makes this process the only one that runs embedded stores in `home`: two of them on one data folder would destroy it.
 *
 * @throws {HomeTakenError} naming the process that has it.
 */
export async function lockHome(home: string): Promise<HomeLock> {
  const taken = await takeFolderLock(home, { mode: 0o700 });
  if ("release" in taken) {
    return taken;
  }
  if (taken.holder === undefined) {
    throw new HomeTakenError(`Another Sightline starts in ${home} at this moment`);
  }
  throw new HomeTakenError(
    `Sightline already runs in ${home} (process ${taken.holder})`,
    "Stop it first, or choose another folder with SIGHTLINE_HOME and other ports.",
  );
}

export class HomeTakenError extends Error {
  /** Without what to do about it. */
  readonly fact: string;

  constructor(fact: string, remedy?: string) {
    super(remedy === undefined ? `${fact}.` : `${fact}. ${remedy}`);
    this.fact = fact;
  }
}
