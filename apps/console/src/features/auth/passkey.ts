import type { PasskeyCreation, PasskeyRequest } from "@sightline/identity/contract";

/** It loads when a passkey is asked for. */
const library = () => import("@simplewebauthn/browser");

/** A passkey that did not answer, in words for whoever waits for it. */
class PasskeyError extends Error {}

/** An address by number, which no passkey can belong to. */
const NUMBERS = /^[\d.]+$|^\[/;

/** Whether passkeys can be used here: over https or on the machine itself, by name, in a browser that knows them. */
export function passkeysWork(): boolean {
  return window.isSecureContext && "PublicKeyCredential" in window && !NUMBERS.test(window.location.hostname);
}

/**
 * Has the browser ask for a passkey.
 *
 * @throws {PasskeyError}
 */
export async function askForPasskey(request: PasskeyRequest) {
  const { startAuthentication } = await library();
  return inWords(request.rpId, () => startAuthentication({ optionsJSON: request }));
}

/**
 * Has the browser make a passkey.
 *
 * @throws {PasskeyError}
 */
export async function makePasskey(creation: PasskeyCreation) {
  const { startRegistration } = await library();
  return inWords(creation.rp.id, () => startRegistration({ optionsJSON: creation }));
}

/**
 * Has the browser offer passkeys among what it fills into the field of the address, until one is chosen.
 *
 * @returns undefined when none was: it was given up, or the browser has no such thing.
 */
export async function offerPasskeys(ask: () => Promise<PasskeyRequest>) {
  const { startAuthentication, browserSupportsWebAuthnAutofill } = await library();
  if (!(await browserSupportsWebAuthnAutofill())) {
    return undefined;
  }
  try {
    return await startAuthentication({ optionsJSON: await ask(), useBrowserAutofill: true });
  } catch {
    // Nobody asked for it by name, so there is nothing to say: password and button are still there.
    return undefined;
  }
}

/** Gives up what the browser still asks for. */
export async function stopAskingForPasskeys(): Promise<void> {
  (await library()).WebAuthnAbortService.cancelCeremony();
}

async function inWords<Answer>(host: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw new PasskeyError(WORDS[error instanceof Error ? error.name : ""]?.(host) ?? "The browser could not use a passkey. Try again.", {
      cause: error,
    });
  }
}

const GIVEN_UP = () => "No passkey was used: it was cancelled, took too long, or there is none for this console.";

const WORDS: Readonly<Record<string, (host: string) => string>> = {
  NotAllowedError: GIVEN_UP,
  AbortError: GIVEN_UP,
  InvalidStateError: () => "This device or key already has a passkey for your account.",
  SecurityError: (host) => `Passkeys of this console belong to ${host}. Open it at that address.`,
  NotSupportedError: () => "This device or key can't keep passkeys. Try another one.",
  ConstraintError: () => "This device or key can't verify that it is you. Set up its PIN, fingerprint or face first.",
};
