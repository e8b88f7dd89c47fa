import type { Issue } from "@sightline/observability/contract";

/** Where it arises: the path of steps, the function and its line, as far as they are known. */
export function placeInWords({ where }: Pick<Issue, "where">): string {
  const { path, function: name, file, line } = where;
  const place = file === undefined ? undefined : `${file.split("/").at(-1) ?? file}${line === undefined ? "" : `:${line}`}`;
  return [path.join(" › "), name, place].filter((part) => part !== undefined && part !== "").join(" · ");
}
