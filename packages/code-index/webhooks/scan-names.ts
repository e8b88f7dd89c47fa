import { addressesOf } from "#webhooks/hosts/canonical-address.ts";
import { HOSTS } from "#webhooks/hosts/hosts.ts";

/** How a delivery may name repositories. */
export type Names = {
  /** `owner/repo`, in lower case. */
  readonly names: readonly string[];
  /** As `addressesOf` writes them. */
  readonly addresses: readonly string[];
};

/** Matches that are looked at, and of each sort kept. A repository is named early, and seldom. */
const LOOKED_AT = 2_000;
const KEPT = 20;

/** Bytes read of each end of a long body: in between are the commits. */
const END = 1024 * 1024;

const NAMING = new Map(HOSTS.flatMap(({ naming }) => Object.entries(naming)));
const PAIR = new RegExp(String.raw`"(${[...NAMING.keys()].join("|")})"\s{0,20}:\s{0,20}"((?:[^"\\]|\\\/){1,400})"`, "g");

/**
 * The repositories that a body may be about, without parsing it: it was sent by nobody knows whom, and is read only to find the
 * secrets to check it with. A name inside a string has escaped quotes, and does not match.
 */
export function scanNames(body: Buffer): Names {
  const found = { name: new Set<string>(), address: new Set<string>(), slug: new Set<string>(), key: new Set<string>() };
  let looked = 0;
  for (const [, key = "", value = ""] of endsOf(body).matchAll(PAIR)) {
    const kept = found[NAMING.get(key) ?? "name"];
    const text = value.replaceAll("\\/", "/").replaceAll("\0", "");
    if (kept.size < KEPT) {
      (kept === found.address ? addressesOf(text) : [text.toLowerCase()]).forEach((name) => kept.add(name));
    }
    looked += 1;
    if (looked === LOOKED_AT) {
      break;
    }
  }
  const joined = [...found.key].flatMap((key) => [...found.slug].map((slug) => `${key}/${slug}`));
  return { names: [...found.name, ...joined], addresses: [...found.address] };
}

function endsOf(body: Buffer): string {
  return body.length <= 2 * END ? body.toString("utf8") : `${body.toString("utf8", 0, END)}\n${body.toString("utf8", body.length - END)}`;
}
