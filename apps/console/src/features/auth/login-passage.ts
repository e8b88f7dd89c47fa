import type { Factor } from "@sightline/identity/contract";
import { createContext, use } from "react";

/** The password was right; the second step is to come. */
export type PartialLogin = {
  readonly token: string;
  /** Milliseconds of this machine's clock until which the token is good. */
  readonly until: number;
  readonly email: string;
  /** What the second step takes. */
  readonly methods: readonly Factor[];
};

export type LoginNotice = { readonly tone: "ok" | "warn"; readonly title: string; readonly text: string };

/** What the pages of a login know of each other. In memory only: whoever reloads the page starts again. */
export type LoginPassage = {
  readonly partial: PartialLogin | undefined;
  readonly notice: LoginNotice | undefined;
  /** Begins the second step. */
  readonly begin: (partial: PartialLogin) => void;
  /** Back to the first one, which then shows the notice. */
  readonly restart: (notice: LoginNotice | undefined) => void;
};

export const LoginPassageContext = createContext<LoginPassage | undefined>(undefined);

export function useLoginPassage(): LoginPassage {
  const passage = use(LoginPassageContext);
  if (passage === undefined) {
    throw new Error("useLoginPassage is used outside of the pages of the login");
  }
  return passage;
}
