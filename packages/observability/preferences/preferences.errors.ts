import { refusal } from "@sightline/foundation/errors";

export const notPaired = () =>
  refusal(404, "item_not_paired", "Not both experiments have a run of this item in the same revision, or its contents were deleted.");
export const answeredBefore = () =>
  refusal(409, "preference_given", "You have answered for this item, perhaps in another tab. Go on with the next one.");
