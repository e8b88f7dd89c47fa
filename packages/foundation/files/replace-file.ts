import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/**
 * Replaces a file at once, for its owner alone (mode 0600), and synchronises it to the disk: whoever reads it, also after a loss of
 * power, finds all of the old content or all of the new one, however many processes write.
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
