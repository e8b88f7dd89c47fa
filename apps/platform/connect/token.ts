import { text } from "node:stream/consumers";
import { UsageError } from "#settings/failure.ts";
import type { Environment } from "#settings/environment.ts";
import { askSecretly } from "./ask.ts";
import { TOKEN_VARIABLE, type Credential } from "./entries.ts";

export type TokenOptions = {
  readonly withToken: boolean;
  readonly fromStdin: boolean;
  /** Whether anybody who is connected wants it now. */
  readonly isWanted: boolean;
};

/** The token from wherever it was offered, and never from the command line, which other users and the shell's history see. */
export async function readCredential(options: TokenOptions, environment: Environment): Promise<Credential> {
  if (!options.withToken) {
    return { kind: "none" };
  }
  if (!options.isWanted) {
    return { kind: "later" };
  }
  if (options.fromStdin) {
    return { kind: "token", token: checkedToken(await text(process.stdin), "What came in on stdin") };
  }
  const variable = environment[TOKEN_VARIABLE];
  if (variable !== undefined && variable !== "") {
    return { kind: "variable", token: checkedToken(variable, TOKEN_VARIABLE) };
  }
  if (!process.stdin.isTTY) {
    throw new UsageError(
      `No token: set ${TOKEN_VARIABLE}, send it on stdin with --token-stdin, or leave it out with --no-token. _Connect_ in the console makes one.`.replaceAll(
        "_Connect_",
        "Connect",
      ),
    );
  }
  const answer = await askSecretly("Token (made at Connect in the console; it is not shown): ");
  if (answer === undefined) {
    throw new Error("Nothing was written, as no token was given.");
  }
  return { kind: "token", token: checkedToken(answer, "What was typed") };
}

/** The characters a bearer token may have (RFC 6750), none of which means anything to an assistant's file. */
const TOKEN = /^[\w.~+/-]+=*$/;

/** The token without blanks around it. @throws {UsageError} where it is none, without showing it. */
export function checkedToken(given: string, name: string): string {
  const token = given.trim();
  if (!TOKEN.test(token)) {
    throw new UsageError(
      `${name} is not a token. Take the text that starts with codeindex_ from Connect in the console, without “Bearer” and without quotes.`,
    );
  }
  return token;
}
