import type { Assistant } from "./assistants.ts";
import { TOKEN_VARIABLE, type Server } from "./entries.ts";

/** What is left to do for whoever connected these: files alone do not set variables and sign nobody in. */
export function notesOn(assistants: readonly Assistant[], { credential }: Server): readonly string[] {
  const namesOf = (kind: Assistant["token"]): string =>
    new Intl.ListFormat("en").format(assistants.flatMap(({ name, token }) => (token === kind ? [name] : [])));
  const [readers, askers, holders] = [namesOf("reads"), namesOf("asks"), namesOf("holds")];
  return [
    ...(credential.kind === "variable" && readers !== ""
      ? [`${TOKEN_VARIABLE} has to be set wherever these are started, e.g. in your shell's profile: ${readers}.`]
      : []),
    ...(credential.kind === "variable" && holders !== ""
      ? [`These can't read a variable, so the token itself is in their file: ${holders}.`]
      : []),
    ...(credential.kind !== "none" && askers !== ""
      ? [`${askers} asks for the token when it first uses Sightline, and keeps it sealed.`]
      : []),
    ...(credential.kind === "none" ? signingIn(assistants) : []),
    "Restart what is running. Take it all back with: sightline connect --undo",
  ];
}

function signingIn(assistants: readonly Assistant[]): readonly string[] {
  const commands = assistants.flatMap(({ name, signIn }) => (signIn === undefined ? [] : [`  ${name.padEnd(12)} ${signIn}`]));
  return [
    "No token was written: each assistant has to sign in, in the browser, when it first uses Sightline.",
    ...(commands.length === 0 ? [] : ["These are told to:", ...commands]),
  ];
}
