import { posix } from "node:path";
import { refusal } from "@sightline/foundation/errors";

const MAX_DEPTH = 12;

/**
 * The folders of the repository that an index may be of, the repository itself first. It says only where it was made on its own
 * machine: of `file:///builds/shop/packages/pay` the repository may have `packages/pay`, or `pay`.
 */
export function candidateRoots(projectRoot: string): readonly string[] {
  const parts = pathOfAddress(projectRoot)
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..");
  return Array.from({ length: Math.min(parts.length, MAX_DEPTH) + 1 }, (_, depth) => parts.slice(parts.length - depth).join("/"));
}

function pathOfAddress(address: string): string {
  try {
    return decodeURIComponent(new URL(address).pathname);
  } catch {
    return address;
  }
}

/** The candidate under which most of the paths are files of the repository. */
export function chooseRoot(candidates: readonly string[], paths: readonly string[], isFile: (path: string) => boolean): string {
  const counts = candidates.map((root) => paths.filter((path) => isFile(posix.join(root, path))).length);
  return candidates[counts.indexOf(Math.max(...counts))] ?? "";
}

/** The path in the repository. @throws {AppError} `invalid_scip_path` (400) where there is none. */
export function pathInRepository(root: string, path: string): string {
  const joined = posix.join(root, path);
  if (path === "" || path.includes("\0") || posix.isAbsolute(path) || joined === ".." || joined.startsWith("../")) {
    const shown = path.slice(0, 200).replaceAll("\0", "\\0");
    throw refusal(400, "invalid_scip_path", `A document of the SCIP index has the path "${shown}", which is outside of the repository.`);
  }
  return joined;
}
