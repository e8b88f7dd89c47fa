import { type RefObject, useRef, useState } from "react";
import { type CodeKind, onlyDigits, isWhole, explainMissing, normaliseCode } from "#features/auth/code.ts";
import { type Wait, useWait } from "./use-wait.ts";

export type CodeState = {
  readonly kind: CodeKind;
  readonly text: string;
  /** The code as it is sent. */
  readonly value: string;
  readonly whole: boolean;
  /** What is missing, once it was sent like that. */
  readonly missing: string | undefined;
  /** Each kind of code has tries of its own. */
  readonly wait: Wait;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly setText: (text: string) => void;
  /** Switches to the other kind of code, and forgets what was typed. */
  readonly switchKind: () => void;
  /** Says what is missing, and puts the cursor there. */
  readonly demand: () => void;
  /** Puts the cursor where the next try replaces this one. */
  readonly select: () => void;
};

export function useCode(): CodeState {
  const [kind, setKind] = useState<CodeKind>("totp");
  const [text, setText] = useState("");
  const [demanded, setDemanded] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const waits: Readonly<Record<CodeKind, Wait>> = { totp: useWait(), backup_code: useWait() };
  return {
    kind,
    text,
    value: normaliseCode(kind, text),
    whole: isWhole(kind, text),
    missing: demanded ? explainMissing(kind, text) : undefined,
    wait: waits[kind],
    field,
    setText(typed) {
      setDemanded(false);
      setText(kind === "totp" ? onlyDigits(typed) : typed);
    },
    demand() {
      setDemanded(true);
      field.current?.focus();
    },
    switchKind() {
      setDemanded(false);
      setKind(kind === "totp" ? "backup_code" : "totp");
      setText("");
      // The field stays where it is and so does the cursor, once the click is over.
      requestAnimationFrame(() => field.current?.focus());
    },
    select() {
      requestAnimationFrame(() => field.current?.select());
    },
  };
}
