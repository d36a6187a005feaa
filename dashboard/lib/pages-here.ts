/** Paths of the pages that there are, `/broadcasts`; the application says so before it shows the first. */
let pages: ReadonlySet<string> = new Set()

export function declarePages(paths: Iterable<string>): void {
  pages = new Set(paths)
}

/** Whether a link to it leads anywhere. */
export function hasPage(path: string): boolean {
  return pages.has(path)
}
