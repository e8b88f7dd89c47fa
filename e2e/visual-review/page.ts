import type { Page } from "playwright-core";
import type { State } from "./states.ts";

/** A page of the console as it is looked at. */
export type ReviewedPage = {
  /** Begins the names of its pictures. */
  readonly name: string;
  /** A place within the console, or how to find it. */
  readonly address: string | ((page: Page, consoleUrl: string) => Promise<string>);
  /** What is done before it is looked at: a dialog opened, a panel chosen. */
  readonly act?: (page: Page) => Promise<void>;
  /** Every state when left out. */
  readonly states?: readonly State[];
  /** Which calls the state is of; every one of the APIs when left out. */
  readonly calls?: RegExp;
  /** What the browser complains of because of what is looked at. */
  readonly excused?: RegExp;
  /** Without a session. */
  readonly visitor?: true;
};
