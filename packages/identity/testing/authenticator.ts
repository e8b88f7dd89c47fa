import { execFileSync } from "node:child_process";
import { findProgram } from "@sightline/foundation/testing/programs";
import { generateSync } from "otplib";

const hasOathtool = findProgram("oathtool") !== undefined;

/** The code that an authenticator app would show: by `oathtool`, which nobody here wrote, or where it is missing by the library. */
export function codeAt(secret: string, time: Date): string {
  if (!hasOathtool) {
    return generateSync({ secret, epoch: Math.floor(time.getTime() / 1000) });
  }
  const now = `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  return execFileSync("oathtool", ["--totp", "--base32", "--now", now, "-"], { input: `${secret}\n`, encoding: "utf8" }).trim();
}
