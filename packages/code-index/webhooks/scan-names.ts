import { canonicalAddress } from "./canonical-address.ts";

/** How a delivery may name repositories. */
export type Names = {
  /** `owner/repo`, in lower case. */
  readonly names: readonly string[];
  /** As `canonicalAddress` writes them. */
  readonly addresses: readonly string[];
};

/** Matches that are looked at, and of each sort kept. A repository is named early, and seldom. */
const LOOKED_AT = 2_000;
const KEPT = 20;

/** Bytes read of each end of a long body: in between are the commits. */
const END = 1024 * 1024;

const PAIR =
  /"(full_name|path_with_namespace|clone_url|ssh_url|git_http_url|git_ssh_url|git_url|href|slug|key)"\s{0,20}:\s{0,20}"((?:[^"\\]|\\\/){1,400})"/g;

/**
 * The repositories that a body may be about, without parsing it: it was sent by nobody knows whom, and is read only to find the
 * secrets to check it with. A name inside a string has escaped quotes, and does not match.
 */
export function scanNames(body: Buffer): Names {
  const found: Record<"names" | "addresses" | "slugs" | "keys", Set<string>> = {
    names: new Set(),
    addresses: new Set(),
    slugs: new Set(),
    keys: new Set(),
  };
  let looked = 0;
  for (const [, key = "", value = ""] of endsOf(body).matchAll(PAIR)) {
    const kept = found[sortOf(key)];
    const text = value.replaceAll("\\/", "/").replaceAll("\0", "");
    if (kept.size < KEPT) {
      kept.add(kept === found.addresses ? canonicalAddress(text) : text.toLowerCase());
    }
    looked += 1;
    if (looked === LOOKED_AT) {
      break;
    }
  }
  // Bitbucket Server names a project's key and a repository's slug.
  const joined = [...found.keys].flatMap((key) => [...found.slugs].map((slug) => `${key}/${slug}`));
  return { names: [...found.names, ...joined], addresses: [...found.addresses] };
}

function endsOf(body: Buffer): string {
  return body.length <= 2 * END ? body.toString("utf8") : `${body.toString("utf8", 0, END)}\n${body.toString("utf8", body.length - END)}`;
}

function sortOf(key: string): "names" | "addresses" | "slugs" | "keys" {
  if (key === "full_name" || key === "path_with_namespace") {
    return "names";
  }
  return key === "slug" ? "slugs" : key === "key" ? "keys" : "addresses";
}
