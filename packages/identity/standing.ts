/** Finds the standing of an account by its id alone. */
export { findStanding } from "./accounts/account.store.ts";
