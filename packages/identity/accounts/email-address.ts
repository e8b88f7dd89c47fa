/**
 * The one writing by which an address is found and its tries are counted. Made here alone, since PostgreSQL folds some
 * letters that JavaScript does not: a second writing that finds the account would have tries of its own.
 */
export function foldEmail(email: string): string {
  return email.trim().toLowerCase();
}
