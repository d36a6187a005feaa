import { posix } from 'node:path'
import { functionFindings } from './function-lines.ts'
import { cyclesOf } from './import-cycles.ts'
import {
  areaOf,
  type Finding,
  importsOf,
  isTest,
  lineAt,
  MODULE_FORM,
  ROUTE_FORM,
  resolve,
  type SourceFile,
} from './source-files.ts'

const LINES_MAX = 400
const TEST_LINES_MAX = 800

/** Names that say nothing about what is inside, so that everything ends up there. */
export const BUCKETS = /(^|\/)((utils?|helpers?|common|services|managers)(\.[jt]s)?|types\.ts|index\.[jt]s)(\/|$)/

/** Files that a module keeps to itself: its SQL, its routes, its table of contents. */
const PRIVATE_FILES = /^((.+-)?(queries|routes)|api|site|collect|tools|module)\.ts$/
/** Files that a table of contents puts together, from whatever sub-room. */
const PLUGGED_IN = /^(.+-)?routes\.ts$/
const ROUTE_FILES = /^server\/modules\/([^/]+\/)+((.+-)?(routes|pages?)|api|site|collect)\.ts$/
const SCHEMA_FILES = /(^|[/-])schemas\.ts$/
const HTTP_ROOM = 'server/platform/http/'
/** The doors in front of the routes: they read what a request shows before any handler does. */
const FRAMEWORK_ALLOWED = new Set([
  ROUTE_FORM,
  'server/modules/auth/client-ip.ts',
  'server/modules/auth/guard-api.ts',
  'server/modules/auth/guard-site.ts',
  'server/modules/idempotency/confirm-answers.ts',
  'server/modules/idempotency/heed-keys.ts',
  'server/modules/trackers/guard-collect.ts',
])
/** Adds `request.caller` and what routes state about their guards to the framework's types. */
const FRAMEWORK_TYPES_ALLOWED = 'server/modules/auth/caller.ts'
const FRAMEWORK = /^(fastify|@fastify\/.+)$/

const ENVIRONMENT_READER = 'server/config.ts'
const ENVIRONMENT = /\bprocess\.env\b|\bimport\.meta\.env\b/

/** Everything in the files that breaks the import rules of CONTRIBUTING.md; `packages` are the runtime dependencies. */
export function findingsIn(files: readonly SourceFile[], packages: ReadonlySet<string>): Finding[] {
  const perFile = files.flatMap((file) => [
    ...shapeFindings(file),
    ...(ROUTE_FILES.test(file.path) ? functionFindings(file) : []),
    ...(isTest(file.path) ? [] : [...importFindings(file, packages), ...ambientFindings(file)]),
  ])
  return [...perFile, ...cycleFindings(files.filter((file) => !isTest(file.path)))]
}

function shapeFindings({ path, text }: SourceFile): Finding[] {
  const findings: Finding[] = []
  if (BUCKETS.test(path)) findings.push({ path, line: 1, message: 'is named after nothing: name it for what it does' })
  const lines = text.split('\n').length - 1
  const linesMax = isTest(path) ? TEST_LINES_MAX : LINES_MAX
  if (lines > linesMax)
    findings.push({ path, line: lines, message: `has ${lines} lines, at most ${linesMax} are allowed` })
  for (const match of text.matchAll(/^export \* from/gm)) {
    findings.push({ path, line: lineAt(text, match.index), message: 'hands on a whole file: import from where it is' })
  }
  return findings
}

function importFindings({ path, text }: SourceFile, packages: ReadonlySet<string>): Finding[] {
  const findings: Finding[] = []
  for (const { specifier, line, typeOnly } of importsOf(text)) {
    const message = specifier.startsWith('.')
      ? (refusedFile(path, resolve(path, specifier)) ??
        (typeOnly ? undefined : refusedHttp(path, resolve(path, specifier))))
      : refusedPackage(path, specifier, packages)
    if (message !== undefined) findings.push({ path, line, message })
  }
  return findings
}

function refusedPackage(path: string, specifier: string, packages: ReadonlySet<string>): string | undefined {
  const { layer } = areaOf(path)
  if (layer === 'outside') return undefined
  if (
    FRAMEWORK.test(specifier) &&
    !path.startsWith(HTTP_ROOM) &&
    !ROUTE_FILES.test(path) &&
    !FRAMEWORK_ALLOWED.has(path)
  ) {
    return `imports ${specifier}: the HTTP framework belongs to route files and platform/http`
  }
  if (layer === 'catalogue') return `imports ${specifier}: the catalogue is lists and imports only platform`
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  if (specifier.startsWith('node:') || packages.has(name)) return undefined
  return `imports ${specifier}: not a dependency of package.json`
}

/** Why a file may not import another one of the project; undefined when it may. */
function refusedFile(path: string, target: string): string | undefined {
  const from = areaOf(path)
  if (from.layer === 'outside') return undefined
  if (isTest(target) || areaOf(target).layer === 'outside') {
    return target === 'package.json' ? undefined : `imports ${target}: what runs does not depend on what tests it`
  }
  const to = areaOf(target)
  const name = posix.basename(target)
  const isPrivate = PRIVATE_FILES.test(name) && target !== MODULE_FORM
  switch (from.layer) {
    case 'platform':
      return to.layer === 'platform' ? undefined : `imports ${target}: platform imports only platform`
    case 'catalogue':
      return to.layer === 'platform' || to.layer === 'catalogue'
        ? undefined
        : `imports ${target}: the catalogue imports only platform`
    case 'modules':
      if (to.layer === 'app') return `imports ${target}: modules do not know who puts them together`
      if (to.layer !== 'modules' || !isPrivate) return undefined
      if (to.module !== from.module) return `imports ${target}: a module's ${name} is its own`
      if (to.room === undefined || to.room === from.room) return undefined
      return posix.basename(path) === 'module.ts' && PLUGGED_IN.test(name)
        ? undefined
        : `imports ${target}: a sub-room's ${name} is its own`
    case 'app':
      return to.layer === 'modules' && isPrivate && name !== 'module.ts'
        ? `imports ${target}: a module's ${name} is its own`
        : undefined
  }
}

/** Operations are called by people, programs and commands alike: what they need of a request they are handed. */
function refusedHttp(path: string, target: string): string | undefined {
  if (areaOf(path).layer !== 'modules' || !target.startsWith(HTTP_ROOM)) return undefined
  if (ROUTE_FILES.test(path) || SCHEMA_FILES.test(path) || FRAMEWORK_ALLOWED.has(path)) return undefined
  return `imports ${target}: platform/http belongs to route files and schemas`
}

function ambientFindings({ path, text }: SourceFile): Finding[] {
  if (areaOf(path).layer === 'outside') return []
  const findings: Finding[] = []
  const environment = path === ENVIRONMENT_READER ? -1 : text.search(ENVIRONMENT)
  if (environment >= 0) {
    findings.push({
      path,
      line: lineAt(text, environment),
      message: `reads the environment: ${ENVIRONMENT_READER} does`,
    })
  }
  const declared = text.search(/^declare module 'fastify'/m)
  if (declared >= 0 && !path.startsWith('server/platform/http/') && path !== FRAMEWORK_TYPES_ALLOWED) {
    findings.push({ path, line: lineAt(text, declared), message: "adds to the HTTP framework's types" })
  }
  return findings
}

/** Cycles of modules and of files, types included: files that need each other to be understood are read together. */
function cycleFindings(files: readonly SourceFile[]): Finding[] {
  const betweenModules = new Map<string, Map<string, string>>()
  const betweenFiles = new Map<string, Map<string, string>>()
  for (const { path, text } of files) {
    const { module } = areaOf(path)
    for (const { specifier, line } of importsOf(text)) {
      if (!specifier.startsWith('.')) continue
      const target = resolve(path, specifier)
      const other = areaOf(target).module
      if (module && other && module !== other) addEdge(betweenModules, [module, other], `${path}:${line}`)
      addEdge(betweenFiles, [path, target], `${path}:${line}`)
    }
  }
  return [...cyclesOf(betweenModules), ...cyclesOf(betweenFiles)].map(({ members, at }) => {
    const [path = '', line = '1'] = at[0]?.split(':') ?? []
    return { path, line: Number(line), message: `is part of a cycle: ${members.join(' -> ')} (${at.join(', ')})` }
  })
}

function addEdge(graph: Map<string, Map<string, string>>, [from, to]: [string, string], at: string): void {
  const edges = graph.get(from) ?? new Map<string, string>()
  graph.set(from, edges)
  if (!edges.has(to)) edges.set(to, at)
}
