/** Finds what of accounts other parts have to know, by their ids alone. */
export { findGoneAccounts, findOwnAddress, findStanding } from "./accounts/account.store.ts";
