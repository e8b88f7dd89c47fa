/** The settings that are read before identity is loaded: this door loads nothing else. */
export { identityVariables, type IdentityConfig } from "./config.ts";
export { problemsOfFirstAdmin } from "./accounts/first-admin-problems.ts";
