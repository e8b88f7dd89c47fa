import type { Bearer } from "./bearers.ts";
import type { CompanyProvider } from "./company-provider.ts";
import type { IdentityFixture } from "./identity-fixture.ts";

/** What is sent, and whose id stands in the address. */
export type Sent = { readonly id?: string; readonly payload?: object; readonly cookie?: string };

export type Surroundings = {
  readonly subject: IdentityFixture;
  readonly provider: CompanyProvider;
  /** Whose account is changed. */
  readonly owner: Bearer;
};

/** What a route that changes something asks of whom. */
export type Row = {
  /** `done`, or the code of the refusal. */
  readonly answers: (bearer: Bearer) => string;
  /** Which credentials are others once it was done. */
  readonly changes?: (bearer: Bearer) => readonly string[];
  /** Whether it is done to the account of another admin, who has a passkey and an app. */
  readonly isOnAnother?: true;
  /** Right in all but what is asked for: with the password wherever there is a place for it. */
  readonly sends?: (bearer: Bearer, surroundings: Surroundings) => Sent | Promise<Sent>;
};
