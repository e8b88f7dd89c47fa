/** What is read before anything of observability is loaded: it loads nothing else. */
export { consumerVariables, observabilityVariables, type ObservabilityConfig } from "./config.ts";
