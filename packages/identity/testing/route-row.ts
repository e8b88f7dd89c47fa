import type { Bearer } from "./bearers.ts";
import type { CompanyProvider } from "./company-provider.ts";
import type { IdentityFixture } from "./identity-fixture.ts";

/** A request: its body, and the id in its address. */
export type Sent = {
  readonly id?: string;
  /** Where more than an id stands in the address. */
  readonly path?: Readonly<Record<string, string>>;
  readonly payload?: object;
  readonly cookie?: string;
};

/** The address of a route, with what was sent in it. */
export function addressOf(path: string, { id, path: names = {} }: Sent): string {
  return path.replaceAll(/:(\w+)/g, (whole, name: string) => names[name] ?? id ?? whole);
}

export type Surroundings = {
  readonly subject: IdentityFixture;
  readonly provider: CompanyProvider;
  /** The owner of the account that is changed. */
  readonly owner: Bearer;
};

/** A route that changes something, and its demands. */
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
