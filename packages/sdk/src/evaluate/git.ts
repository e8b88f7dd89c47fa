import { execFileSync } from "node:child_process";
import { processEnvironment } from "../settings/settings.ts";

const TIMEOUT = 5000;
const MAX_NAME_LENGTH = 100;
/** Builds check out a commit, and say its branch in one of these. */
const BRANCH_VARIABLES = ["GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "BUILDKITE_BRANCH", "BRANCH_NAME"];

export type Checkout = { readonly branch: string | null; readonly commit: string | null; readonly isDirty: boolean };

/** Which of the application's code runs, by the git of the working directory and `OBS_COMMIT`. Never throws. */
export function readCheckout(): Checkout {
  const head = git("rev-parse", "--abbrev-ref", "HEAD");
  const told = BRANCH_VARIABLES.map((name) => processEnvironment[name]).find((value) => value !== undefined && value !== "");
  const branch = head === "" || head === "HEAD" ? told : head;
  const commit = processEnvironment["OBS_COMMIT"] || git("rev-parse", "HEAD");
  return {
    branch: branch?.slice(0, MAX_NAME_LENGTH) ?? null,
    commit: commit === "" ? null : commit.slice(0, MAX_NAME_LENGTH),
    isDirty: git("status", "--porcelain", "--untracked-files=no") !== "",
  };
}

function git(...given: readonly string[]): string {
  try {
    return execFileSync("git", given, { timeout: TIMEOUT, stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}
