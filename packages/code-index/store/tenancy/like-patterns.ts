import { escapeLike, likeBeginning, likeContaining, translateGlob } from "@sightline/foundation/patterns";

/** `**` + `/` may be no folder at all, so each doubles the patterns. */
const MAX_DOUBLED = 3;

/**
 * The LIKE patterns of the paths that a filter asks for: part of the path or, with `*` or `?` in it, a name or folder and
 * all the rest of the path. `*` stands for anything, folders too, `?` for one character, a slash in front for the
 * beginning of the path.
 *
 * @example pathPatterns("src/*.ts") // ["src/%.ts", "%/src/%.ts"]
 */
export function pathPatterns(path: string): readonly string[] {
  const isFromRoot = path.startsWith("/") || path.startsWith("^");
  const wanted = isFromRoot ? path.slice(1) : path;
  if (!/[*?]/.test(wanted)) {
    return [isFromRoot ? likeBeginning(wanted) : likeContaining(wanted)];
  }
  return withoutFolders(wanted, MAX_DOUBLED).flatMap((glob) => {
    const pattern = `${globPattern(glob)}${glob.endsWith("/") ? "%" : ""}`;
    return isFromRoot || pattern.startsWith("%") ? [pattern] : [pattern, `%/${pattern}`];
  });
}

function withoutFolders(glob: string, times: number): readonly string[] {
  const at = times === 0 ? -1 : glob.indexOf("**/");
  if (at === -1) {
    return [glob];
  }
  const before = glob.slice(0, at);
  return withoutFolders(glob.slice(at + 3), times - 1).flatMap((rest) => [`${before}${rest}`, `${before}*/${rest}`]);
}

/** A whole name with a slash in it, where either side may be left out; without one, part of a name. */
export function repositoryPattern(name: string): string {
  const pattern = globPattern(name);
  return name.includes("/") ? `${name.startsWith("/") ? "%" : ""}${pattern}${name.endsWith("/") ? "%" : ""}` : `%${pattern}%`;
}

/** `*` is anything and `?` one character; all else stands for itself. */
export function globPattern(glob: string): string {
  return translateGlob(glob, { any: "%", one: "_", quote: escapeLike });
}
