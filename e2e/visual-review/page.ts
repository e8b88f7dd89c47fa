import type { Page } from "playwright-core";
import { MEMBERS_PASSWORD } from "#identity-client.ts";
import type { Credentials } from "#log-in.ts";
import type { State } from "./states.ts";

/** What `furnish.ts` makes, and the pages show. */
export const REVIEWED_REPOSITORY = "acme/webshop";
export const VIEWER: Credentials = { email: "mary@example.org", password: MEMBERS_PASSWORD };

/** A page of the console as it is looked at. */
export type ReviewedPage = {
  /** Begins the names of its pictures. */
  readonly name: string;
  /** A place within the console, or how to find it. */
  readonly address: string | ((page: Page, consoleUrl: string) => Promise<string>);
  /** What is arranged before it is opened: answers that a demo doesn't give. */
  readonly before?: (page: Page) => Promise<void>;
  /** What is done before it is looked at: a dialog opened, a panel chosen. */
  readonly act?: (page: Page) => Promise<void>;
  /** Done at each width again: it hangs from what another width does not show. */
  readonly actAgain?: true;
  /** What the browser complains of, because the page is about just that. */
  readonly provokes?: RegExp;
  /** Every state when left out. */
  readonly states?: readonly State[];
  /** Which calls the state is of; every one of the APIs when left out. */
  readonly calls?: RegExp;
  /** Who looks: nobody who is logged in, or a member of the organization who is a viewer of the project; an admin when left out. */
  readonly as?: "visitor" | "viewer";
};
