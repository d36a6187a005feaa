/** The slug of the workspace whose pages these are. It changes with the whole document, never within it. */
export const SLUG = /^\/app\/([^/]+)/.exec(location.pathname)?.[1] ?? ''

/** The address of a page of this workspace, for what leaves the document or is copied. */
export function appPath(path: string): string {
  return `/app/${SLUG}${path === '/' ? '' : path}`
}
