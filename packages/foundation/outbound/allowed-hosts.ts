import ipaddr from "ipaddr.js";
import { z } from "zod";
import { readAddress } from "./addresses.ts";

/** Names, addresses and ranges whose addresses may be private: `git.example.org`, `*.corp.example`, `10.0.0.0/8`. */
export type AllowedHosts = readonly string[];

/** Whether the operator allows the host by its name, or an address of it: for `findAddresses`. */
export function isAllowed(allowed: AllowedHosts, host: string): (address: string) => boolean {
  const isAllowedName = allowed.some((entry) => isNameOf(entry, host));
  return (address) => isAllowedName || allowed.some((entry) => holds(entry, address));
}

/** A variable that lists them, with commas between. */
export function allowedHostsVariable() {
  return z
    .string()
    .transform((text): AllowedHosts =>
      text
        .split(",")
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ""),
    )
    .refine((entries) => entries.every(isEntry), "expected names, addresses or ranges such as 10.0.0.0/8, with commas between");
}

function isEntry(entry: string): boolean {
  return isRange(entry) || ipaddr.isValid(entry) || /^(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9])?$/i.test(entry);
}

function isNameOf(entry: string, host: string): boolean {
  const [name, asked] = [entry.toLowerCase(), host.toLowerCase().replace(/\.$/, "")];
  return name.startsWith("*.") ? asked.endsWith(name.slice(1)) : name === asked;
}

function holds(entry: string, text: string): boolean {
  const address = readAddress(text);
  if (address === undefined) {
    return false;
  }
  if (ipaddr.isValid(entry)) {
    return ipaddr.process(entry).toString() === address.toString();
  }
  if (!isRange(entry)) {
    return false;
  }
  const range = ipaddr.parseCIDR(entry);
  return range[0].kind() === address.kind() && address.match(range);
}

/** ipaddr.js takes `1` for an address, too. */
function isRange(entry: string): boolean {
  return entry.includes("/") && ipaddr.isValidCIDR(entry);
}
