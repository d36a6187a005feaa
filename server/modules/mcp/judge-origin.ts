/**
 * Whether a request may come from where it says it does. Programs send no `Origin`; a browser does, and a page that found the
 * way to a server inside a network by a name of its own (DNS rebinding) shows itself by it.
 */
export function isKnownOrigin(origin: string | undefined, { appUrl, allowed }: KnownOrigins): boolean {
  return origin === undefined || origin === appUrl?.origin || allowed.includes(origin)
}

export type KnownOrigins = { appUrl: URL | undefined; allowed: readonly string[] }
