import { BUCKETS } from './import-rules.ts'
import { type Finding, lineAt, type SourceFile } from './source-files.ts'

/** A word that names a file or a folder of the project: by its suffix, or below one of the project's folders. */
const NAMED =
  /^[\w.@<>{},*-]+(\/[\w.@<>{},*-]+)*\.(ts|js|md|sql)$|^(server|test|docs|bench|bin|migrations|ops|\.ci)\/\S+$/

/**
 * The names of files in backticks that belong to no file. A name may be short (`outbox/plans.ts`), may leave a part open
 * (`<name>.test.ts`, `*-queries.ts`) and may stand for several (`sending/{ledger,turn}`).
 */
export function nameFindings(documents: readonly SourceFile[], paths: readonly string[]): Finding[] {
  const known = new Set(paths.flatMap((path) => [path, ...foldersOf(path)]))
  return documents.flatMap(({ path, text }) =>
    [...text.matchAll(/`([^`\s]+)`/g)].flatMap((match) => {
      const missing = namesOf(match[1]!).filter((name) => !exists(name, known))
      const line = lineAt(text, match.index)
      return missing.map((name) => ({ path, line, message: `names \`${name}\`, which is no file of the project` }))
    }),
  )
}

function namesOf(text: string): string[] {
  if (!NAMED.test(text) || BUCKETS.test(text)) return []
  const [all, inner] = /\{([^}]+)\}/.exec(text) ?? []
  return all === undefined ? [text] : inner!.split(',').flatMap((part) => namesOf(text.replace(all, part)))
}

function exists(name: string, known: ReadonlySet<string>): boolean {
  const trimmed = name.replace(/\/$/, '')
  if (known.has(trimmed)) return true
  const open = trimmed.replaceAll(/[.+$()[\]\\]/g, '\\$&').replaceAll(/\*|<[^>]+>/g, '[^/]+')
  const pattern = new RegExp(`(^|/)${open}$`)
  return [...known].some((path) => pattern.test(path))
}

function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
