import { IS_SET_UP } from "#account-facts.ts";
import type { Passkey, PasskeyAssertion } from "#contract.ts";
import type { FactorKind, FactorProof } from "#factors/kit/factor.ts";
import { acceptPasskey, type PasskeyDependencies } from "./accept-passkey.ts";
import { deletePasskeysOf, listPasskeys } from "./passkey.store.ts";

export const passkeyFactor: FactorKind<Passkey[]> = {
  isSetUp: IS_SET_UP.passkey,
  describe: async (queries, userId) => (await listPasskeys(queries, userId)).map(describePasskey),
  missing: "passkey_required",
  remove: deletePasskeysOf,
};

type ListedPasskey = Pick<Awaited<ReturnType<typeof listPasskeys>>[number], "id" | "name" | "created_at" | "last_used_at" | "synced">;

export function describePasskey({ id, name, created_at, last_used_at, synced }: ListedPasskey): Passkey {
  return { id, name, created_at: created_at.toISOString(), last_used_at: last_used_at?.toISOString() ?? null, synced };
}

/** The answer of a passkey as a second factor at the login or a step-up. */
export function passkeyProof(dependencies: PasskeyDependencies, response: PasskeyAssertion): FactorProof<"passkey"> {
  return {
    isSetUp: passkeyFactor.isSetUp,
    isGuess: true,
    prove: ({ purpose, ...attempt }, action) =>
      acceptPasskey(
        dependencies,
        { ...attempt, purpose: purpose === "login" ? "second_factor" : "step_up", response },
        (transaction, { amr }) => action(transaction, { method: "passkey", amr, details: { method: "passkey" } }),
      ),
  };
}
