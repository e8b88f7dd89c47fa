import { refusal } from "@sightline/foundation/errors";
import { MAX_COMMENTS } from "#contract.ts";

export const subjectNotFound = () =>
  refusal(404, "comment_subject_not_found", "What you comment on is not in this project: it was deleted, or belongs to something else.");
export const tooManyComments = () =>
  refusal(409, "too_many_comments", `This trace, dataset or experiment has ${MAX_COMMENTS} comments, which is the most: delete some.`);
export const commentNotFound = () =>
  refusal(404, "comment_not_found", "There is no such comment that you may change: you edit and delete your own, owners delete any.");
