/** What is read before anything of identity is loaded: it loads nothing else. */
export { identityVariables, type IdentityConfig } from "./config.ts";
export { problemsOfFirstAdmin } from "./accounts/first-admin-problems.ts";
