import { resolve, sep } from "node:path";
import { ConfigError } from "@sightline/foundation/config";
import { errorMessage } from "@sightline/foundation/errors";
import { platformVariables } from "#config.ts";

/** An error in what was asked for; it ends the program with 2, anything else with 1. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** Says what went wrong and how to fix it, without a stack, and ends the process with `code`. */
export function reportFailure(error: unknown, code = error instanceof UsageError ? 2 : 1): never {
  console.error(error instanceof ConfigError ? `${error.message}\nSee .env.example for every variable.` : withAdvice(error));
  if (process.env["SIGHTLINE_DEBUG"] !== undefined) {
    console.error(error);
  }
  process.exit(code);
}

/** Advice for errors of the data folder, by the system's error code. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: "Run this as the user whom it belongs to, or choose another folder with SIGHTLINE_HOME.",
  EPERM: "Run this as the user whom it belongs to, or choose another folder with SIGHTLINE_HOME.",
  EROFS: "Choose a folder that can be written to with SIGHTLINE_HOME.",
  EEXIST: "Sightline's data needs a folder: choose another one with SIGHTLINE_HOME.",
  ENOTDIR: "Sightline's data needs a folder: choose another one with SIGHTLINE_HOME.",
  ENOENT: "No folder can be made there: choose another one with SIGHTLINE_HOME.",
  ENOSPC: "The disk is full: make room, then do it again.",
};

function withAdvice(error: unknown): string {
  const message = errorMessage(error);
  const home = resolve(process.env["SIGHTLINE_HOME"] || platformVariables.SIGHTLINE_HOME.default);
  const { code, path } = error as NodeJS.ErrnoException;
  // An error in a folder above concerns it too.
  const isOfHome = path !== undefined && (isWithin(path, home) || isWithin(home, path));
  const advice = isOfHome ? ADVICE[code ?? ""] : undefined;
  return advice === undefined ? message : `${message}. ${advice}`;
}

function isWithin(path: string, folder: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`);
}
