import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "#errors.ts";

type Options = { readonly mode?: number };

/**
 * Makes a folder and its parents unless they exist. It does not use the option `recursive`, with which Node retries
 * without end below /proc, where the system reports an existing parent as missing.
 */
export async function makeFolder(path: string, options: Options = {}): Promise<void> {
  try {
    await mkdir(path, options);
  } catch (error) {
    if (await isFolder(path)) {
      return;
    }
    if (errorCode(error) !== "ENOENT") {
      throw error;
    }
    const above = dirname(path);
    if (!(await isFolder(above))) {
      await makeFolder(above, options);
    }
    // Another caller may have made the folder above meanwhile, so this is tried once more in any case.
    await mkdir(path, options).catch(async (second: unknown) => {
      if (!(await isFolder(path))) {
        throw second;
      }
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
