import { emailDomain } from "#accounts/account.store.ts";
import { EMAIL_ADDRESS, ONE_LINE } from "#contract.ts";
import { SSO } from "#session/authentication-methods.ts";
import type { NamedPerson } from "#session/sso-link.store.ts";
import type { Role } from "#schema.ts";
import type { Provider } from "./provider.store.ts";

/** A provider's claims about somebody, once signature, issuer, audience and nonce were verified. */
export type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

export type Person = {
  readonly named: NamedPerson;
  readonly email: string;
  readonly name: string;
  /** `keep`: the provider says nothing of roles; `none`: it gives this person no role. */
  readonly role: Role | "keep" | "none";
  readonly amr: readonly string[];
};

export type RefusedPerson = "sso_no_address" | "sso_address_not_verified" | "sso_domain_not_allowed";

type Rules = Pick<
  Provider,
  "provenDomains" | "roleClaim" | "adminValues" | "memberValues" | "defaultRole" | "asksSecondFactor" | "vouchesForAddresses"
>;

const MAX_ADDRESS = 320;
const MAX_NAME = 200;

/** Finds the person that the claims name to the tenant of the provider; or why there is none. */
export function readPerson(rules: Rules, claims: Claims): Person | RefusedPerson {
  const { email, email_verified: verified, name, amr } = claims;
  if (email === undefined || email === null || email === "") {
    return "sso_no_address";
  }
  const isVerified = verified === true || verified === "true" || (verified === undefined && rules.vouchesForAddresses);
  if (typeof email !== "string" || email.length > MAX_ADDRESS || !EMAIL_ADDRESS.test(email) || !isVerified) {
    return "sso_address_not_verified";
  }
  if (!rules.provenDomains.includes(emailDomain(email))) {
    return "sso_domain_not_allowed";
  }
  const isTwice = rules.asksSecondFactor || (Array.isArray(amr) && amr.includes("mfa"));
  return {
    named: { issuer: claims.iss, subject: claims.sub },
    email,
    name: plainName(name) ?? email,
    role: readRole(rules, claims),
    amr: isTwice ? [SSO, "mfa"] : [SSO],
  };
}

function readRole({ roleClaim, adminValues, memberValues, defaultRole }: Rules, claims: Claims): Person["role"] {
  if (roleClaim === null) {
    return "keep";
  }
  const values = [claims[roleClaim] ?? pathIn(claims, roleClaim)].flat();
  const has = (wanted: readonly string[]) => values.some((value) => typeof value === "string" && wanted.includes(value));
  if (has(adminValues)) {
    return "admin";
  }
  return has(memberValues) ? "member" : (defaultRole ?? "none");
}

/** Keycloak's roles are at `realm_access.roles`. */
function pathIn(claims: Claims, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (at, name) => (typeof at === "object" && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined),
      claims,
    );
}

function plainName(name: unknown): string | undefined {
  const text = typeof name === "string" ? name.trim().slice(0, MAX_NAME).toWellFormed() : "";
  return text !== "" && ONE_LINE.test(text) ? text : undefined;
}
