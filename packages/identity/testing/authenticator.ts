import { execFileSync } from "node:child_process";

/** The code that an authenticator app would show: by `oathtool`, which nobody here wrote (Debian's package of that name). */
export function codeAt(secret: string, time: Date): string {
  const now = `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  return execFileSync("oathtool", ["--totp", "--base32", "--now", now, "-"], { input: `${secret}\n`, encoding: "utf8" }).trim();
}
