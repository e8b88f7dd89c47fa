import { linkOptions } from "@tanstack/react-router";

/** The page of a repository's code, by its full name: `acme/webshop`. */
export function codeLink(fullName: string) {
  const [owner = "", repo = ""] = fullName.split("/");
  return linkOptions({ to: "/code/$owner/$repo", params: { owner, repo } });
}
