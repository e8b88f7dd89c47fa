import type { ChangePolicyRequest, Policy } from "@sightline/identity/contract";

export type PolicyFields = {
  readonly when: "never" | "now" | "day";
  /** `2026-12-01`, a day of UTC; empty while none is chosen. */
  readonly day: string;
  readonly two: boolean;
  readonly passkeys: boolean;
};

export function readWhen({ admins_need_second_factor_from: from }: Policy, now: Date = new Date()): PolicyFields["when"] {
  if (from === null) {
    return "never";
  }
  return new Date(from) <= now ? "now" : "day";
}

export function readDay({ admins_need_second_factor_from: from }: Policy): string {
  return from?.slice(0, 10) ?? "";
}

/** What differs from the policy that is; undefined when nothing does, or no day was chosen. */
export function toRequest(policy: Policy, { when, day, two, passkeys }: PolicyFields, now: Date): ChangePolicyRequest | undefined {
  const isTwo = policy.resets_need_two && policy.resets_need_two_until === null;
  const sameTime = when === readWhen(policy, now) && (when !== "day" || day === readDay(policy));
  if (when === "day" && !/^\d{4}-\d\d-\d\d$/.test(day)) {
    return undefined;
  }
  const times = { never: null, now: now.toISOString(), day: `${day}T00:00:00.000Z` };
  const changes = {
    ...(sameTime ? {} : { admins_need_second_factor_from: times[when] }),
    ...(two === isTwo ? {} : { resets_need_two: two }),
    ...(passkeys === policy.members_may_add_passkeys ? {} : { members_may_add_passkeys: passkeys }),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}
