import { linkOptions } from "@tanstack/react-router";

/** The page of a repository's code, by its full name: `acme/webshop`, or `group/sub/project` with a repository `sub/project`. */
export function codeLink(fullName: string) {
  const [owner = "", ...rest] = fullName.split("/");
  const repo = rest.join("/");
  return linkOptions({ to: "/code/$owner/$repo", params: { owner, repo } });
}
