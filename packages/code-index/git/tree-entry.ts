export type TreeEntry = {
  /** Bytes that are not UTF-8 are written `\xff`; of an overlong one the beginning. */
  readonly path: string;
  /** git's id of the content. */
  readonly blob: string;
  readonly kind: "file" | "symlink" | "submodule" | "overlong";
  readonly bytes: number;
};

const SYMLINK = "120000";
const SUBMODULE = "160000";

/** In bytes; git knows no limit, but a key of the database's has one, at about 2,700. */
const MAX_PATH_BYTES = 2_000;

type RawEntry = { readonly mode: string; readonly blob: string; readonly path: Buffer; readonly bytes: number };

/** An entry out of what git prints of it. Its path is a name, and never opened: `../x` and `.git/config` are names as others. */
export function treeEntry({ mode, blob, path: name, bytes }: RawEntry): TreeEntry {
  const path = readPath(name);
  if (isOverlong(path)) {
    return { path: beginningOf(path), blob, kind: "overlong", bytes };
  }
  return { path, blob, kind: mode === SUBMODULE ? "submodule" : mode === SYMLINK ? "symlink" : "file", bytes };
}

/** A path as `treeEntry` writes it. */
export function treeEntryPath(name: Buffer): string {
  const path = readPath(name);
  return isOverlong(path) ? beginningOf(path) : path;
}

function isOverlong(path: string): boolean {
  return Buffer.byteLength(path) > MAX_PATH_BYTES;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readPath(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.toString("latin1").replaceAll(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
  }
}

function beginningOf(path: string): string {
  // A character has at most three bytes for each unit; a half of one that is cut off becomes U+FFFD.
  return `${path.slice(0, 600).toWellFormed()}…`;
}
