import { constants } from "node:fs";
import { lstat, mkdir, readFile, readlink, realpath, rm, rmdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { messageOf } from "@sightline/foundation/errors";
import writeFileAtomic from "write-file-atomic";
import { UnreadableText } from "./text-edit.ts";

export type UserFile = {
  /** Where the bytes are, behind any links. */
  readonly path: string;
  /** Undefined when there is no file. */
  readonly text: string | undefined;
  readonly byteOrderMark: string;
  readonly mode: number | undefined;
};

const BYTE_ORDER_MARK = "\uFEFF";
const PERMISSIONS = 0o777;
const OWNER_ONLY = 0o600;

/** Reads a file byte for byte: what is no UTF-8 could not be written back as it was. */
export async function readUserFile(path: string): Promise<UserFile> {
  const target = await behindLinks(path);
  const bytes = await readFile(target).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") {
      return undefined;
    }
    throw error;
  });
  if (bytes === undefined) {
    return { path: target, text: undefined, byteOrderMark: "", mode: undefined };
  }
  const text = decode(bytes);
  const byteOrderMark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  return { path: target, text: text.slice(byteOrderMark.length), byteOrderMark, mode: (await stat(target)).mode & PERMISSIONS };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UnreadableText("it is not UTF-8");
  }
}

/** A link whose file is not there yet is followed as well, or writing would put a file in the link's place. */
async function behindLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") {
      throw error;
    }
  }
  const link = await lstat(path).catch(() => undefined);
  return link?.isSymbolicLink() === true ? behindLinks(resolve(dirname(path), await readlink(path))) : path;
}

/** The folder that had to be made for it, if one had. */
export async function writeUserFile(
  { path, byteOrderMark }: UserFile,
  text: string,
  mode: number | undefined,
): Promise<string | undefined> {
  const made = await mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, `${byteOrderMark}${text}`, mode === undefined ? {} : { mode });
  return made;
}

/** A file with a secret is its owner's alone; one that is stricter already stays so. */
export function modeForSecret(mode: number | undefined): number {
  return (mode ?? OWNER_ONLY) & OWNER_ONLY;
}

/** Renaming a new file into place would not ask for it, but whoever made a file read-only means it. */
export function isReadOnly({ mode }: UserFile): boolean {
  return mode !== undefined && (mode & constants.S_IWUSR) === 0;
}

/** Takes a file away, and the folders that were made for it as far as they are empty. */
export async function removeUserFile(path: string, madeFolder: string | undefined): Promise<void> {
  await rm(path, { force: true });
  if (madeFolder === undefined) {
    return;
  }
  for (let folder = dirname(path); folder.startsWith(madeFolder); folder = dirname(folder)) {
    const isEmpty = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isEmpty) {
      return;
    }
  }
}

const PLAIN: Readonly<Record<string, string>> = {
  EACCES: "you are not allowed to; do it as the user whom it belongs to",
  EPERM: "you are not allowed to; do it as the user whom it belongs to",
  EROFS: "its file system is read-only; whatever manages this file has to write the server into it",
  EISDIR: "it is a folder; move it away",
  ENOTDIR: "a file is in the place of its folder; move that away",
  ELOOP: "its link leads back to itself; remove the link",
  ENOSPC: "the disk is full; make room, then do it again",
};

/** Why a file could not be read or written, in plain words. */
export function inPlainWords(error: unknown): string {
  return PLAIN[codeOf(error) ?? ""] ?? messageOf(error);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
