import { Anchor } from "@mantine/core";
import { isExactNumber } from "@sightline/foundation/exact-json";
import { isKeyOfField, LABEL_NAMES, quoteTraceValue, type TraceDigest } from "@sightline/observability/contract";
import { IconTag } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { EditTagsDialog } from "#features/traces/changes/change-dialogs.tsx";
import { Fold } from "#features/traces/details/fold.tsx";
import { IconButton } from "#ui/kit/icon-button.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./trace-labels.module.css";

type TraceLabelsProps = {
  readonly trace: TraceDigest;
  /** Viewers change no tags. */
  readonly mayTag: boolean;
};

/** By which words a trace is grouped and found, each a link to all that have it, and what was noted of it and of its process. */
export function TraceLabels({ trace, mayTag }: TraceLabelsProps) {
  const { project_id: projectId, tags, attributes } = trace;
  const [isEditing, setEditing] = useState(false);
  const labels = LABEL_NAMES.flatMap((name) => (trace[name] === null ? [] : [{ name, value: trace[name] }]));
  const notes = notesOf("metadata", attributes["metadata"]);
  const resource = notesOf("resource", attributes["otel.resource"]);
  const counted = [
    ...(notes.length === 0 ? [] : [`Metadata (${notes.length})`]),
    ...(resource.length === 0 ? [] : [`Resource attributes (${resource.length})`]),
  ];
  if (labels.length + tags.length + counted.length === 0 && !mayTag) {
    return null;
  }
  return (
    <>
      <div className={classes.labels}>
        {labels.map(({ name, value }) => (
          <span key={name}>
            {name} <Found projectId={projectId} field={name} value={value} />
          </span>
        ))}
        {tags.length > 0 && (
          <ul className={classes.tags} aria-label="Tags">
            {tags.map((tag) => (
              <li key={tag}>
                <Found projectId={projectId} field="tag" value={tag} />
              </li>
            ))}
          </ul>
        )}
        {mayTag && (
          <IconButton label={tags.length === 0 ? "Add tags" : "Edit tags"} size={24} onClick={() => setEditing(true)}>
            <IconTag size={14} />
          </IconButton>
        )}
      </div>
      {counted.length > 0 && (
        <Fold title={counted.join(", ")}>
          <dl className={classes.notes}>
            {[...notes, ...resource].map(({ field, value }) => (
              <div key={field}>
                <dt>{field}</dt>
                <dd>
                  <Note projectId={projectId} field={field} value={value} />
                </dd>
              </div>
            ))}
          </dl>
        </Fold>
      )}
      {isEditing && (
        <EditTagsDialog
          projectId={projectId}
          choice={{ count: 1, ids: [trace.id] }}
          added={trace.added_tags}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  );
}

type Noted = { readonly field: string; readonly value: unknown };

function notesOf(name: string, values: unknown): readonly Noted[] {
  const isRecord = typeof values === "object" && values !== null && !Array.isArray(values);
  return isRecord ? Object.entries(values).map(([key, value]) => ({ field: `${name}.${key}`, value })) : [];
}

/** How much of a value stands in its line; the rest is one click away. */
const MAX_LENGTH = 80;

function Note({ projectId, field, value }: Noted & { readonly projectId: string }) {
  const [name = "", ...key] = field.split(".");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (
    (typeof value !== "object" || isExactNumber(value)) &&
    text.trim() !== "" &&
    text.length <= MAX_LENGTH &&
    isKeyOfField(name, key.join("."))
  ) {
    return <Found projectId={projectId} field={field} value={text} />;
  }
  return text.length <= MAX_LENGTH ? (
    <SafeText text={text} />
  ) : (
    <details>
      <summary>
        <SafeText text={`${text.slice(0, MAX_LENGTH)}…`} />
      </summary>
      <SafeText text={text} />
    </details>
  );
}

/** Leads to the list of all traces that have it, too. */
function Found({ projectId, field, value }: { readonly projectId: string; readonly field: string; readonly value: string }) {
  return (
    <Anchor
      component={Link}
      fz="inherit"
      underline="always"
      className={classes.found}
      to="/projects/$projectId/traces"
      params={{ projectId }}
      search={{ q: `${field}:${quoteTraceValue(value)}` }}
      title={`All traces with ${field}:${value}`}
    >
      <SafeText text={value} />
    </Anchor>
  );
}
