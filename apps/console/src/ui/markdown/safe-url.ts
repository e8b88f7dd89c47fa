const MAX_IMAGE = 2_000_000;

/** An image that is in the address itself, of a type that is no program. */
export function isShownImage(url: string): boolean {
  return url.length <= MAX_IMAGE && /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2}$/.test(url);
}

/** The address, where a text of anybody's may lead there; nothing else. */
export function safeUrl(url: string, key: string): string | undefined {
  const isAllowed = /^https?:\/\//i.test(url) || (key === "src" && isShownImage(url));
  return isAllowed ? url : undefined;
}
