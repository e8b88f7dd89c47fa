/** What a failed change is headed with. One that went unanswered, whose status is 0, may have been made all the same. */
export function failureTitle(error: Error & { readonly status?: number }, refused: string): string {
  return error.status === 0 ? "No response: it may have been done anyway" : refused;
}
