import type { Exclusive } from "./api.ts";

/** Browsers offer locks only on https and localhost; elsewhere tabs are not kept apart. */
export const exclusiveOverTabs: Exclusive = async (run) => {
  const locks: LockManager | undefined = navigator.locks;
  return locks === undefined ? run() : locks.request("sightline-session", run);
};
