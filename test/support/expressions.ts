import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parse, type Token, tokTypes } from 'acorn'
import { lineAt, type SourceFile } from './source-files.ts'

/** A regular expression of the sources, and where it stands. */
export type Expression = { path: string; line: number; source: string; flags: string }

const ROOT = new URL('../../', import.meta.url)
const MAKES = /\bRegExp\(/g

/**
 * Expressions that a function puts together each time, as they come out: files that are not here may make theirs only while
 * they are loaded, where they can be read. A place for other people's text in them is a literal of a few characters.
 */
const MADE_WHILE_RUNNING: Readonly<Record<string, readonly string[]>> = {
  'server/modules/templates/layout/mask-liquid.ts': [String.raw`lq0011aaffx(\d+)z(?:="")?`],
  'server/platform/http/method-table.ts': ['^/api/contacts/[^/]+/tags/[^/]+$'],
  'server/platform/mail/read-diagnostic.ts': [
    String.raw`(^|\s)#?(?:550|5\.1\.1)(?:[ -]#?(?:550|5\.1\.1))*(?=[ -]|$)[ -]?`,
  ],
  'server/platform/telemetry/scrub-text.ts': ['postgres-password|the-same-in-base64'],
}

/** Every expression of the files: those that are written out, and those that are made of parts. */
export async function expressionsOf(files: readonly SourceFile[]): Promise<Expression[]> {
  const made = await madeWhileLoading(files.filter(({ text }) => text.search(MAKES) !== -1))
  return files.flatMap((file) => [...literalsIn(file), ...(made.get(file.path) ?? []), ...madeWhileRunning(file)])
}

/** The calls of `RegExp` that made nothing while their file was loaded and are not listed: nobody can say what they make. */
export function unreadable(files: readonly SourceFile[], found: readonly Expression[]): Expression[] {
  return files.flatMap(({ path, text }) => {
    const calls = [...text.matchAll(MAKES)].map(({ index }) => lineAt(text, index))
    const known = calls.filter((line) => found.some((one) => one.path === path && one.line === line))
    const listed = MADE_WHILE_RUNNING[path]?.length ?? 0
    return calls
      .filter((line) => !known.includes(line))
      .slice(listed)
      .map((line) => ({ path, line, source: '', flags: '' }))
  })
}

/** Types are replaced by blanks, so that lines stay where they are. */
function literalsIn({ path, text }: SourceFile): Expression[] {
  const found: Expression[] = []
  // The type of tokens leaves their value out.
  const onToken = ({ type, value, loc }: Token & { value?: { pattern: string; flags: string } }) => {
    if (type === tokTypes.regexp)
      found.push({ path, line: loc!.start.line, source: value!.pattern, flags: value!.flags })
  }
  parse(stripTypeScriptTypes(text), { ecmaVersion: 'latest', sourceType: 'module', locations: true, onToken })
  return found
}

/** Importing a file does nothing else: a rule of the project. */
async function madeWhileLoading(files: readonly SourceFile[]): Promise<Map<string, Expression[]>> {
  const made = new Map<string, Expression[]>(files.map(({ path }) => [path, []]))
  const real = globalThis.RegExp
  globalThis.RegExp = new Proxy(real, {
    construct(target, [source, flags]: [string, string | undefined]) {
      const [, path, line] = /(server\/[^\s:]+\.ts):(\d+):\d+/.exec(callerOf(new Error())) ?? []
      if (path !== undefined) made.get(path)?.push({ path, line: Number(line), source, flags: flags ?? '' })
      return new target(source, flags)
    },
  })
  try {
    for (const { path } of files) await import(new URL(path, ROOT).href)
  } finally {
    globalThis.RegExp = real
  }
  return made
}

/** The line of the stack that called the trap: the second, behind the trap's own. */
function callerOf({ stack }: Error): string {
  return stack!.split('\n')[2]!.replace(pathToFileURL(fileURLToPath(ROOT)).href, '')
}

function madeWhileRunning({ path }: SourceFile): Expression[] {
  return (MADE_WHILE_RUNNING[path] ?? []).map((source) => ({ path, line: 0, source, flags: 'g' }))
}
