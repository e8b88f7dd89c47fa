import { AppError } from "@sightline/foundation/errors";
import { VIEWS_MAX } from "./views.store.ts";

export function viewNotFound(): AppError {
  return new AppError({
    code: "view_not_found",
    status: 404,
    message: "There is no such view, or it is somebody's own. GET …/views lists yours.",
  });
}

export function notYourView(): AppError {
  return new AppError({
    code: "not_your_view",
    status: 403,
    message: "Only its author or an owner of the project changes a shared view. Save one of your own.",
  });
}

export function tooManyViews(): AppError {
  return new AppError({
    code: "too_many_views",
    status: 409,
    message: `You have ${VIEWS_MAX} saved views in this project, which is the most. Delete some.`,
  });
}
