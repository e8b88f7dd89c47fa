import type { TranscriptMessage } from "@sightline/observability/contract";
import { SPEAKERS } from "#ui/words/speakers.ts";
import { MessagePart, type ShownPart } from "./message-parts.tsx";
import classes from "./message.module.css";

/** A message of a transcript, or of a step, of which images are known too. */
export type ShownMessage = Omit<TranscriptMessage, "parts"> & { readonly parts: readonly ShownPart[] };

export function Message({ message: { role, name, parts } }: { readonly message: ShownMessage }) {
  return (
    <div className={classes.message} data-role={role}>
      <p className={classes.speaker}>
        {SPEAKERS[role]}
        {name !== null && ` · ${name}`}
      </p>
      {/* A system message is bounded in height, and scrolls by the keyboard, too. */}
      <div className={classes.parts} {...(role === "system" ? { tabIndex: 0, role: "group", "aria-label": SPEAKERS[role] } : {})}>
        {parts.map((part, index) => (
          <MessagePart key={index} part={part} />
        ))}
      </div>
    </div>
  );
}
