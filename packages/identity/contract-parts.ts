import { z } from "zod";

export const id = z.uuid();
export const timestamp = z.iso.datetime();
export const limit = z.coerce.number().int().min(1).max(200).default(50);
export const cursor = z.string().max(512).optional();

/** One line as it looks: without control characters, halves of characters, and what turns the order of letters round. */
export const ONE_LINE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u;
