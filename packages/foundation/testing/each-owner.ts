import { createEachOwner, type EachOwner } from "#each-owner.ts";
import { silentLog } from "./silent-log.ts";

/** Work for each of many owners, by which nothing is remembered of another test's failures. */
export function eachOwnerUnderTest(): EachOwner {
  return createEachOwner({ log: silentLog, name: "a test" });
}
