import { z } from "zod";

/** A branch, as git allows it to be named, without `refs/heads/`. */
export const branchSchema = z
  .string()
  .min(1)
  .max(200)
  // oxlint-disable-next-line no-control-regex -- control characters are what git refuses
  .regex(/^(?![-/.])(?!.*(?:\.\.|\/\/|@\{|\/\.))[^\x00-\x20\x7f~^:?*[\\]+(?<![/.])(?<!\.lock)$/, "not the name of a branch");
