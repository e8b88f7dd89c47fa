/** Who an account is, for those who know its id alone. */
export { findStanding } from "./accounts/account.store.ts";
