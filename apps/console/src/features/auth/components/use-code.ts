import { type RefObject, useRef, useState } from "react";
import { type CodeKind, digitsOf, isWhole, normaliseCode } from "#features/auth/code.ts";
import { type Wait, useWait } from "./use-wait.ts";

export type CodeState = {
  readonly kind: CodeKind;
  readonly text: string;
  /** As it is sent. */
  readonly value: string;
  readonly whole: boolean;
  /** Each kind of code has tries of its own. */
  readonly wait: Wait;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly setText: (text: string) => void;
  /** To the other kind; what was typed of this one is gone. */
  readonly switchKind: () => void;
  /** Puts the cursor where the next try replaces this one. */
  readonly select: () => void;
};

export function useCode(): CodeState {
  const [kind, setKind] = useState<CodeKind>("totp");
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const waits: Readonly<Record<CodeKind, Wait>> = { totp: useWait(), backup_code: useWait() };
  return {
    kind,
    text,
    value: normaliseCode(kind, text),
    whole: isWhole(kind, text),
    wait: waits[kind],
    field,
    setText: (typed) => setText(kind === "totp" ? digitsOf(typed) : typed),
    switchKind() {
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
