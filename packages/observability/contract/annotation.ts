import { z } from "zod";
import { itemsFromTracesRequestSchema } from "./datasets.ts";
import { listRequestSchema, nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";
import { givenScoreSchema, scoreValueSchema } from "./scores.ts";

/** Queues of traces that people label, each trace by as many as its queue says. */

export const MAX_QUEUES = 100;
export const MAX_QUEUE_TRACES = 1_000;
export const MAX_QUEUE_SCORES = 9;
export const MAX_ANNOTATORS = 5;
/** How long a trace is somebody's alone who was given it to label. */
export const LEASE_MINUTES = 15;

const text = (most: number) => z.string().trim().max(most).regex(WITHOUT_NUL, nulRefused);

export const createAnnotationQueueRequestSchema = z.object({
  name: text(200).min(1, "name the queue"),
  /** Words for those who label. */
  rubric: text(20_000).default(""),
  /** Names of score configs, in the order in which they are asked. */
  scores: z
    .array(givenScoreSchema.shape.name)
    .min(1, "say which scores are given")
    .max(MAX_QUEUE_SCORES)
    .refine((names) => new Set(names).size === names.length, "a score is named twice"),
  /** How many people are asked of each trace. */
  annotators: z.int().min(1).max(MAX_ANNOTATORS).default(1),
  /** The dataset that corrections go to. */
  dataset_id: z.uuid().nullable().default(null),
});

export type CreateAnnotationQueueRequest = z.input<typeof createAnnotationQueueRequestSchema>;

export const annotationQueueSchema = createAnnotationQueueRequestSchema.safeExtend({
  id: z.uuid(),
  created_by: z.string(),
  created_at: timestamp,
  traces: z.int(),
  /** Labelled or skipped by as many as were asked. */
  done: z.int(),
  /** Done, with labels that differ and that nobody has resolved. */
  disputed: z.int(),
  /** Not done, and neither labelled nor skipped by whoever asks. */
  for_you: z.int(),
});
export type AnnotationQueue = z.infer<typeof annotationQueueSchema>;
export const createdQueueSchema = z.object({ id: z.uuid() });
export const annotationQueueListSchema = z.object({ items: z.array(annotationQueueSchema), next_cursor: z.null() });

const { traces, from } = itemsFromTracesRequestSchema.shape;
/** `traces` by hand; or `from`, those of a session or a sample of those that a query finds; or the newest attempts of an experiment's runs. */
export const addToQueueRequestSchema = z
  .object({ traces, from, experiment_id: z.uuid().optional() })
  .refine((body) => Object.values(body).filter((value) => value !== undefined).length === 1, "give one of traces, from and experiment_id");
export type AddToQueueRequest = z.input<typeof addToQueueRequestSchema>;
/** Those that are kept, and that the queue did not have. */
export const addedToQueueSchema = z.object({ added: z.int() });

const labelSchema = scoreValueSchema.extend({ name: z.string(), comment: z.string().nullable() });
export type Label = z.infer<typeof labelSchema>;

export const annotatedTraceSchema = z.object({
  trace_id: z.uuid(),
  is_done: z.boolean(),
  /** What each said; as long as it is not done, only what the reader said. `resolved`: it counts, where labels differ. */
  annotations: z.array(
    z.object({
      annotator: z.string(),
      state: z.enum(["labelled", "skipped", "resolved"]),
      labels: z.array(labelSchema),
      reason: z.string().nullable(),
    }),
  ),
});
export type AnnotatedTrace = z.infer<typeof annotatedTraceSchema>;

const interval = z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable();
/** By score, of traces that are done and have two labels or more; none of texts. Null: nothing tells it from chance. */
const agreementSchema = z.object({ name: z.string(), traces: z.int(), alpha: interval, kappa: interval });
export type Agreement = z.infer<typeof agreementSchema>;
/** `alpha` is Krippendorff's; `kappa` Cohen's, where two people gave all labels. */
export const annotatedTracePageSchema = z.object({
  items: z.array(annotatedTraceSchema),
  next_cursor: z.string().nullable(),
  agreement: z.array(agreementSchema),
});
export const listAnnotatedRequestSchema = listRequestSchema.extend({ only: z.enum(["disputed"]).optional() });

/** Null: nothing waits for whoever asks that is not somebody else's at the moment. */
export const claimedTraceSchema = z.object({ trace_id: z.uuid().nullable() });

const labelled = givenScoreSchema.omit({ data_type: true }).extend({ comment: text(500).optional() });
/** Labels for all scores of the queue but texts, or why there are none; `resolves`: they count in place of labels that differ. */
export const annotateRequestSchema = z.union([
  z.strictObject({
    labels: z.array(labelled).max(MAX_QUEUE_SCORES),
    resolves: z.boolean().default(false),
  }),
  z.strictObject({ skip: text(500).min(1, "say why") }),
]);
export type AnnotateRequest = z.input<typeof annotateRequestSchema>;

/** Comments of people: plain text, in which `@` and the id of an account mention somebody. */

export const MAX_COMMENT_LENGTH = 5_000;
/** Comments of a trace with its steps and scores, of a dataset, or of an experiment. */
export const MAX_COMMENTS = 1_000;
/** Accounts that one comment mentions. */
export const MAX_MENTIONS = 20;

export const MENTION = /@([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-z])/g;
/** Ids of the accounts that a comment mentions, each once. */
export const findMentions = (comment: string): readonly string[] => [
  ...new Set([...comment.matchAll(MENTION)].flatMap(([, id]) => id ?? [])),
];

export const commentSubjectSchema = z.object({
  subject: z.enum(["trace", "step", "item", "run", "score"]),
  /** The whole that it is in: the trace of a step or score, the dataset of an item, the experiment of a run. */
  within_id: z.uuid().toLowerCase(),
  /** A run is named by its item: repetitions and attempts share their comments. */
  subject_id: z.uuid().toLowerCase(),
});
export type CommentSubject = z.infer<typeof commentSubjectSchema>;

export const changeCommentRequestSchema = z.object({
  text: text(MAX_COMMENT_LENGTH)
    .min(1, "write something")
    .refine((given) => findMentions(given).length <= MAX_MENTIONS, `mention at most ${MAX_MENTIONS} people`),
});
export const createCommentRequestSchema = commentSubjectSchema.extend(changeCommentRequestSchema.shape);

export const commentSchema = commentSubjectSchema.extend({
  id: z.uuid(),
  text: z.string(),
  author: z.string(),
  created_at: timestamp,
  edited_at: timestamp.nullable(),
});
export type Comment = z.infer<typeof commentSchema>;
export const commentPageSchema = z.object({ items: z.array(commentSchema), next_cursor: z.string().nullable() });
export const listCommentsRequestSchema = listRequestSchema.extend({ within_id: commentSubjectSchema.shape.within_id });
