import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

type Options = { readonly mode?: number };

/**
 * Makes a folder with those above it, where it isn't there. Not by `recursive`: where the system says that there is no
 * folder above although there is, as below /proc, Node tries that without end.
 */
export async function makeFolder(path: string, options: Options = {}): Promise<void> {
  try {
    await mkdir(path, options);
  } catch (error) {
    if (await isFolder(path)) {
      return;
    }
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) {
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
