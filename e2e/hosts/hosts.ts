/** `first` and `second` run the product; `client` asks it, as people do. */
export const HOSTS = ["stores", "first", "second", "agents", "client"] as const;
