import { createHash } from "node:crypto";
import { cutAtCodePoint } from "./chat-message.ts";
import type { Reasoning } from "../event/event.ts";
import { safeText } from "../mask/safe-text.ts";

/** Cut at `maximum` code points. The hash of the whole text tells two cut ones apart. */
export function boundReasoning(text: string, maximum: number): Reasoning {
  const safe = safeText(text, text.length);
  const characters = countCodePoints(safe);
  if (characters <= maximum) {
    return { text: safe, truncated: false, original_chars: characters };
  }
  return {
    text: cutAtCodePoint(safe, maximum),
    truncated: true,
    original_chars: characters,
    sha256: createHash("sha256").update(safe).digest("hex"),
  };
}

function countCodePoints(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      pairs += 1;
    }
  }
  return text.length - pairs;
}
