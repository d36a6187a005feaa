import { posix } from 'node:path'

/** A source file: its path from the root of the project, with slashes, and its text. */
export type SourceFile = { path: string; text: string }
/** Something that breaks a rule, as one line for a person. */
export type Finding = { path: string; line: number; message: string }

/** An import of a file, also one that hands on. */
export type Import = { specifier: string; line: number; typeOnly: boolean }
/** Where a file is: its layer, in a module its folder, and in a sub-room of a module that as well. */
export type Area = { layer: 'platform' | 'catalogue' | 'modules' | 'app' | 'outside'; module?: string; room?: string }

/** The form of a table of contents, common to all modules. */
export const MODULE_FORM = 'server/modules/module.ts'
/** The form of a route, common to all modules as well. */
export const ROUTE_FORM = 'server/modules/door.ts'
/** The form of an act of agents. */
const TOOL_FORM = 'server/modules/tool.ts'
const FORMS: ReadonlySet<string> = new Set([MODULE_FORM, ROUTE_FORM, TOOL_FORM])
const STATIC_IMPORT = /^(?:import|export)\s+(type\s+)?(?:[\w*{$][\w\s{},*$]*?\sfrom\s+)?'([^']+)'/gm
const DYNAMIC_IMPORT = /\bimport\(\s*'([^']+)'/g

/** The formatter puts every static import at the beginning of a line, in single quotes. */
export function importsOf(text: string): Import[] {
  const statics = [...text.matchAll(STATIC_IMPORT)].map((match) => ({
    specifier: match[2]!,
    line: lineAt(text, match.index),
    typeOnly: match[1] !== undefined,
  }))
  const dynamics = [...text.matchAll(DYNAMIC_IMPORT)].map((match) => ({
    specifier: match[1]!,
    line: lineAt(text, match.index),
    typeOnly: false,
  }))
  return [...statics, ...dynamics]
}

export function areaOf(path: string): Area {
  const [root, layer, module, ...inside] = path.split('/')
  if (root !== 'server') return { layer: 'outside' }
  if (layer === 'platform' || layer === 'catalogue') return { layer }
  if (layer !== 'modules') return { layer: 'app' }
  if (FORMS.has(path) || module === undefined) return { layer: 'modules' }
  const [room] = inside.slice(0, -1)
  return { layer: 'modules', module, ...(room === undefined ? {} : { room }) }
}

/** Tests, and what only they use beside the code: `testing.ts`, `testing-worker.ts`. */
export function isTest(path: string): boolean {
  return /\.test\.ts$|(^|\/)testing(-[^/]+)?\.ts$|^test\//.test(path)
}

/** The path from the root of the project that a file means by `./x.ts`. */
export function resolve(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier)
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
